"""`manage.py fill_classes`: add the classes of years of use, to measure the site."""

from django.core.management.base import BaseCommand, CommandError

from demo.filling import has_real_students
from demo.filling_classes import fill_classes


class Command(BaseCommand):
    help = (
        "Puts the students of `manage.py fill` into classes that have taken what they took, with "
        "exceptions and a history. Only for a site that is there to be measured."
    )

    def add_arguments(self, parser):
        parser.add_argument("--classes", type=int, required=True)
        parser.add_argument("--events", type=int, default=0, help="of the classes' history")
        parser.add_argument(
            "--force", action="store_true", help="also where there are real students"
        )

    def handle(self, *, classes: int, events: int, force: bool, **options):
        if classes < 1 or events < 0:
            raise CommandError("There must be at least one class.")
        if has_real_students() and not force:
            raise CommandError(
                "There are real students here, beside whom these would stand: use another "
                "database, or say --force."
            )
        line = ""
        for line in fill_classes(classes=classes, events=events):
            self.stdout.write(line)
        if not line:
            raise CommandError("There is nobody to put into classes: manage.py fill makes some.")
