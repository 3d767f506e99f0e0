"""`manage.py second_factors`: remove a lost one, or seal all of them under a new SECRET_KEY."""

from django.core.management.base import BaseCommand, CommandError

from accounts import security_log
from accounts.models import User
from accounts.second_factor import remove_second_factor, reseal_all


class Command(BaseCommand):
    help = "Remove the second factors of someone who has lost them, or seal all with a new key."

    def add_arguments(self, parser):
        commands = parser.add_subparsers(dest="command", required=True)
        remove = commands.add_parser("remove", help="let someone log in with only a password")
        remove.add_argument("email", help="the email address they log in with")
        commands.add_parser(
            "seal", help="seal all with SOFTMARK_SECRET_KEY, so that old keys can go"
        )

    def handle(self, *, command, email=None, **options):
        if command == "seal":
            self._seal()
        else:
            self._remove(email)

    def _remove(self, email):
        user = User.objects.filter(email=email).first()
        if user is None:
            raise CommandError(f"No account has the address {email}. Check the spelling.")
        if not remove_second_factor(user=user):
            raise CommandError(f"{email} has no second factor, so there's nothing to remove.")
        security_log.log_event("second factor removed", user=user, about="all by manage.py")
        self.stdout.write(f"{email} can log in with just a password now. Tell them.")

    def _seal(self):
        sealed, lost = reseal_all()
        self.stdout.write(f"{sealed} sealed with SOFTMARK_SECRET_KEY.")
        if lost:
            raise CommandError(
                f"{lost} couldn't be opened: their key isn't in SOFTMARK_OLD_SECRET_KEYS."
                " Add it there and try again, or remove these second factors."
            )
