"""`manage.py fill_classes`: add the classes of years of use, to measure the site."""

from django.core.management.base import BaseCommand, CommandError

from demo.filling import has_real_students
from demo.filling_classes import fill_classes


class Command(BaseCommand):
    help = (
        "Put the students of `manage.py fill` into classes, with their attempts, exceptions and a "
        "history. Only do this on a site for measurements."
    )

    def add_arguments(self, parser):
        parser.add_argument("--classes", type=int, required=True)
        parser.add_argument(
            "--events", type=int, default=0, help="how many, in the classes' history"
        )
        parser.add_argument("--force", action="store_true", help="even if there are real students")

    def handle(self, *, classes: int, events: int, force: bool, **options):
        if classes < 1 or events < 0:
            raise CommandError("Ask for at least one class, and no negative number of events.")
        if has_real_students() and not force:
            raise CommandError(
                "There are real students here, and made-up ones would mix with them. Use another "
                "database, or --force."
            )
        line = ""
        for line in fill_classes(classes=classes, events=events):
            self.stdout.write(line)
        if not line:
            raise CommandError(
                "There's nobody to put into classes. To make some students, run: manage.py fill"
            )
