"""`manage.py demo_accounts`: create an administrator, an instructor and a student to log in as."""

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from accounts.demo import LOGINS, PASSWORD, create_demo_accounts


class Command(BaseCommand):
    help = "Create the three demo accounts and print their logins. Safe to run again."

    def add_arguments(self, parser):
        parser.add_argument(
            "--force",
            action="store_true",
            help="even if SOFTMARK_DEMO isn't set; the password is public, so be careful",
        )

    def handle(self, *, force, **options):
        if not (settings.SOFTMARK_DEMO or force):
            raise CommandError(
                "The demo accounts have a public password. Set SOFTMARK_DEMO=1 or use --force."
            )
        create_demo_accounts()
        for login in LOGINS:
            self.stdout.write(f"{login.role:14} {login.email:28} {PASSWORD}")
