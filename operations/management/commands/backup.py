"""`manage.py backup FILE`: copy the database and all uploads into one file."""

import os
import sys
from pathlib import Path

from django.core.management.base import BaseCommand, CommandError

from operations import archive


class Command(BaseCommand):
    help = "Copy the database and all uploads into one file. The site can keep running."
    requires_system_checks = ()

    def add_arguments(self, parser):
        parser.add_argument("file", help="the file to write, or - for standard output")

    def handle(self, *, file, **options):
        try:
            uploads = (
                archive.write_backup(sys.stdout.buffer) if file == "-" else to_file(Path(file))
            )
        except archive.ArchiveError as trouble:
            raise CommandError(str(trouble)) from None
        except OSError as error:
            raise CommandError(
                f"{file} can't be written: {error.strerror}. Choose another place."
            ) from None
        self.stderr.write(
            f"Copied the database and all uploads ({uploads}) to {file}.", ending="\n"
        )


def to_file(file: Path) -> int:
    """Write a backup that only its owner can read. It gets its name once it is complete."""
    part = file.with_name(f"{file.name}.part")
    try:
        with open(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as opened:
            uploads = archive.write_backup(opened)
            opened.flush()
            os.fsync(opened.fileno())
        part.replace(file)
    finally:
        part.unlink(missing_ok=True)
    return uploads
