"""Command: load the lessons, questions and quizzes that ship with Softmark, or another folder."""

from collections import Counter
from contextlib import nullcontext
from functools import partial
from pathlib import Path

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from django.db import transaction

from foundation.loading import LoadOutcome
from lessons.authoring.services import load_lessons
from lessons.errors import ContentError
from lessons.models import Lesson
from lessons.rendering import trusting_texts
from quizzes.authoring.services.loading import load_questions, load_quizzes

SHIPPED = settings.BASE_DIR / "content"


class Command(BaseCommand):
    """`load_content [folder]`: load lessons, questions and quizzes."""

    help = (
        "Load lessons/, questions/ and quizzes/ from a folder. Loading again changes nothing, and "
        "keeps what was edited in the admin, unless you use --overwrite. If anything is wrong, "
        "nothing is loaded."
    )

    def add_arguments(self, parser):
        parser.add_argument("folder", nargs="?", type=Path, default=SHIPPED)
        parser.add_argument(
            "--overwrite", action="store_true", help="also replace what was edited in the admin"
        )

    @transaction.atomic  # no quiz is left without the questions that were withdrawn before
    def handle(self, *, folder: Path, overwrite: bool, **options):
        if not folder.is_dir():
            raise CommandError(f"There's no folder {folder}. Check the path.")
        withdrawn: list[str] = []  # filled by the questions, read by the quizzes
        loaders = [
            ("lessons", load_lessons),
            ("questions", load_questions),
            ("quizzes", partial(load_quizzes, withdrawn=withdrawn)),
        ]
        # Half of a first load's time goes into checks, which the tests make of shipped content.
        # Edited content is loaded into a site that has lessons, and is checked.
        trusted = folder == SHIPPED and not Lesson.objects.exists()
        for name, load in loaders:
            try:
                with trusting_texts() if trusted else nullcontext():
                    loaded = load(folder=folder / name, overwrite=overwrite)
            except ContentError as wrong:
                raise CommandError(f"{name}: {wrong}") from None
            withdrawn += [entry.name for entry in loaded if entry.outcome == LoadOutcome.WITHDRAWN]
            counts = Counter(entry.outcome for entry in loaded)
            line = ", ".join(f"{count} {outcome}" for outcome, count in sorted(counts.items()))
            self.stdout.write(f"{name}: {line or 'none'}")
            for entry in loaded:
                if entry.outcome == LoadOutcome.KEPT:
                    line = (
                        f"  kept {entry.name}: edited since it was loaded (--overwrite replaces it)"
                    )
                    self.stdout.write(line)
