"""`manage.py demo_accounts`: an administrator, an instructor and a student to log in as."""

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from accounts.demo import LOGINS, PASSWORD, make_demo_accounts


class Command(BaseCommand):
    help = "Make the demo's three accounts and print their logins; safe to run again."

    def add_arguments(self, parser):
        parser.add_argument(
            "--force",
            action="store_true",
            help="also where SOFTMARK_DEMO is not set; the password is public, so mind where",
        )

    def handle(self, *, force, **options):
        if not (settings.SOFTMARK_DEMO or force):
            raise CommandError(
                "The demo accounts have a public password: set SOFTMARK_DEMO=1, or say --force."
            )
        make_demo_accounts()
        for login in LOGINS:
            self.stdout.write(f"{login.role:14} {login.email:28} {PASSWORD}")
