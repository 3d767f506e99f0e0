"""Command: add up all appended grades, and compare the sums with the stored scores."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError

from quizzes.marking.replaying import check_scores

MAX_LISTED = 50


class Command(BaseCommand):
    help = (
        "Adds up the latest grades of every marked attempt, exactly, and compares the sums with "
        "the scores that are kept. Says which attempts differ; then it fails."
    )

    def handle(self, *args: Any, **options: Any) -> None:
        proved, wrong = 0, 0
        for found in check_scores():
            proved += 1
            if found.why:
                wrong += 1
                if wrong <= MAX_LISTED:
                    self.stderr.write(f"attempt {found.attempt}: {found.why}")
        if wrong:
            raise CommandError(f"{wrong} of {proved} attempts differ from their grades.")
        self.stdout.write(f"{proved} attempts: each score is the sum of its grades.")
