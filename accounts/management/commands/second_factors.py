"""`manage.py second_factors`: remove a lost one, or seal all of them under a new SECRET_KEY."""

from django.core.management.base import BaseCommand, CommandError

from accounts import security_log
from accounts.models import User
from accounts.second_factor import remove_second_factor, reseal_all


class Command(BaseCommand):
    help = "Remove a second factor that someone has lost, or seal all under a new SECRET_KEY."

    def add_arguments(self, parser):
        commands = parser.add_subparsers(dest="command", required=True)
        remove = commands.add_parser("remove", help="let someone log in with only a password")
        remove.add_argument("email", help="the email address they log in with")
        commands.add_parser(
            "seal", help="seal them under SOFTMARK_SECRET_KEY; old keys are then no longer needed"
        )

    def handle(self, *, command, email=None, **options):
        if command == "seal":
            self._seal()
        else:
            self._remove(email)

    def _remove(self, email):
        user = User.objects.filter(email=email).first()
        if user is None:
            raise CommandError(f"Nobody logs in as {email}.")
        if not remove_second_factor(user=user):
            raise CommandError(f"{email} has no second factor.")
        security_log.log_event("second factor removed", user=user, about="all by manage.py")
        self.stdout.write(f"{email} can now log in with only a password. Tell them.")

    def _seal(self):
        sealed, lost = reseal_all()
        self.stdout.write(f"{sealed} sealed under SOFTMARK_SECRET_KEY.")
        if lost:
            raise CommandError(
                f"{lost} were sealed under a key that SOFTMARK_OLD_SECRET_KEYS does not have."
                " Put it there and try again, or remove them."
            )
