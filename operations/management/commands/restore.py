"""`manage.py restore FILE`: replace the database with a backup's, and restore its uploads."""

from pathlib import Path

from django.core.management.base import BaseCommand, CommandError
from django.db import connection

from operations import archive


class Command(BaseCommand):
    help = "Replace the database with the one in a backup, and restore its uploads. Asks first."
    requires_system_checks = ()

    def add_arguments(self, parser):
        parser.add_argument("file", type=Path, help="a file that `manage.py backup` wrote")
        parser.add_argument("--yes", action="store_true", help="don't ask first")

    def handle(self, *, file, yes, **options):
        try:
            manifest = archive.read_manifest(file)
            if not (yes or self.is_wanted(manifest)):
                raise CommandError("Nothing was changed.")
            archive.restore_backup(file)
        except archive.ArchiveError as trouble:
            raise CommandError(str(trouble)) from None
        self.stdout.write(
            f"Restored the backup of {manifest['made_at']}. If Softmark is newer than that, run: "
            "manage.py migrate"
        )

    def is_wanted(self, manifest):
        name = connection.settings_dict["NAME"]
        self.stdout.write(
            f"This deletes everything in {name} and puts the backup of {manifest['made_at']} in "
            "its place. Stop the web server, workers and beat first."
        )
        try:
            return input("Type yes to continue: ").strip().lower() == "yes"
        except EOFError:
            return False
