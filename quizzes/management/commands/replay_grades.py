"""Command: add up all appended grades, and compare the sums with the stored scores."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError

from quizzes.marking.replaying import check_scores

MAX_LISTED = 50


class Command(BaseCommand):
    help = (
        "Add up the latest grades of every marked attempt and compare the sums with the stored "
        "scores. Lists the attempts that differ, and exits with 1 if there are any."
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
            raise CommandError(
                f"Attempts whose score differs from their grades: {wrong} of {proved}."
            )
        self.stdout.write(f"Attempts checked: {proved}. Each score is the sum of its grades.")
