"""`manage.py fill`: fill a site with years of attempts, to measure it."""

from django.core.management.base import BaseCommand, CommandError

from demo.filling import fill, has_real_students

# Attempts of each student.
ATTEMPTS_EACH = 10


class Command(BaseCommand):
    help = (
        "Makes marked attempts by made-up students, at the quizzes that can be taken now. They "
        "cannot be told from others later: only for a site that is there to be measured."
    )

    def add_arguments(self, parser):
        parser.add_argument("--attempts", type=int, required=True)
        parser.add_argument(
            "--students", type=int, help=f"default: one for {ATTEMPTS_EACH} attempts"
        )
        parser.add_argument(
            "--force", action="store_true", help="also where there are real students"
        )

    def handle(self, *, attempts: int, students: int | None, force: bool, **options):
        if attempts < 1 or (students is not None and students < 1):
            raise CommandError("There must be at least one attempt, and one student.")
        if has_real_students() and not force:
            raise CommandError(
                "There are real students here, whose marks would stand among made-up ones: use "
                "another database, or say --force."
            )
        people = students or -(-attempts // ATTEMPTS_EACH)
        made = 0
        for made in fill(attempts=attempts, people=people):
            self.stdout.write(f"{made} of {attempts} attempts")
        if not made:
            raise CommandError("There is no quiz to take: manage.py load_content loads some.")
