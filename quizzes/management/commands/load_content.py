"""Load the lessons, concept questions and quizzes that ship, or a folder of one's own."""

from collections import Counter
from pathlib import Path

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from foundation.loading import Outcome
from lessons.authoring.services import load_lessons
from lessons.errors import ContentError
from quizzes.authoring.services.loading import load_questions, load_quizzes


class Command(BaseCommand):
    """`load_content [folder]`"""

    help = (
        "Loads lessons/, questions/ and quizzes/ from a folder. Loading again changes nothing, "
        "and what was edited in the admin since is kept, unless --overwrite."
    )

    def add_arguments(self, parser):
        parser.add_argument("folder", nargs="?", type=Path, default=settings.BASE_DIR / "content")
        parser.add_argument(
            "--overwrite", action="store_true", help="replace what was edited in the admin, too"
        )

    def handle(self, *, folder: Path, overwrite: bool, **options):
        if not folder.is_dir():
            raise CommandError(f"There is no folder {folder}.")
        loaders = [
            ("lessons", load_lessons),
            ("questions", load_questions),
            ("quizzes", load_quizzes),
        ]
        for name, load in loaders:
            try:
                loaded = load(folder=folder / name, overwrite=overwrite)
            except ContentError as wrong:
                raise CommandError(f"{name}: {wrong}") from None
            counts = Counter(entry.outcome for entry in loaded)
            told = ", ".join(f"{count} {outcome}" for outcome, count in sorted(counts.items()))
            self.stdout.write(f"{name}: {told or 'none'}")
            for entry in loaded:
                if entry.outcome == Outcome.KEPT:
                    told = f"  kept {entry.name}: edited since it was loaded (--overwrite?)"
                    self.stdout.write(told)
