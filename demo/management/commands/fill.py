"""`manage.py fill`: fill a site with years of attempts, to measure it."""

from django.core.management.base import BaseCommand, CommandError

from demo.filling import fill, has_real_students

# Attempts of each student.
ATTEMPTS_EACH = 10


class Command(BaseCommand):
    help = (
        "Add marked attempts by made-up students to the quizzes that are open now. Nobody "
        "can tell them from real attempts later, so only do this on a site for measurements."
    )

    def add_arguments(self, parser):
        parser.add_argument("--attempts", type=int, required=True)
        parser.add_argument(
            "--students", type=int, help=f"default: one for every {ATTEMPTS_EACH} attempts"
        )
        parser.add_argument("--force", action="store_true", help="even if there are real students")

    def handle(self, *, attempts: int, students: int | None, force: bool, **options):
        if attempts < 1 or (students is not None and students < 1):
            raise CommandError("Ask for at least one attempt and one student.")
        if has_real_students() and not force:
            raise CommandError(
                "There are real students here, and made-up marks would mix with theirs. Use "
                "another database, or --force."
            )
        people = students or -(-attempts // ATTEMPTS_EACH)
        made = 0
        for made in fill(attempts=attempts, people=people):
            self.stdout.write(f"{made} of {attempts} attempts")
        if not made:
            raise CommandError("There's no quiz to take. To load some, run: manage.py load_content")
