"""The demo's three people, one of each role. Never made outside a demo."""

from dataclasses import dataclass

from allauth.account.models import EmailAddress
from django.contrib.auth.hashers import make_password
from django.db import transaction
from django.utils.translation import gettext_lazy

from accounts.models import User
from accounts.roles import make_instructor

PASSWORD = "softmark-demo"


@dataclass(frozen=True)
class Login:
    """One account of the demo."""

    role: str
    email: str
    name: str
    may: str


ADMIN = Login(
    gettext_lazy("Administrator"),
    "admin@softmark.example",
    "Ada Admin",
    gettext_lazy("can do everything"),
)
INSTRUCTOR = Login(
    gettext_lazy("Instructor"),
    "instructor@softmark.example",
    "Ines Instructor",
    gettext_lazy("writes lessons and quizzes"),
)
STUDENT = Login(
    gettext_lazy("Student"),
    "student@softmark.example",
    "Sam Student",
    gettext_lazy("reads and takes quizzes"),
)
LOGINS = (ADMIN, INSTRUCTOR, STUDENT)


@transaction.atomic
def make_demo_accounts() -> None:
    """Make the accounts, or set them right again."""
    hashed = ""
    for login in LOGINS:
        user, is_new = User.objects.get_or_create(email=login.email, defaults={"name": login.name})
        user.is_active = True
        user.is_superuser = user.is_staff = login is ADMIN
        # A new hash would log everybody out.
        if is_new or not user.check_password(PASSWORD):
            # Hashing is slow on purpose, and everybody knows this password: once is enough.
            user.password = hashed = hashed or make_password(PASSWORD)
        user.save()
        if login is INSTRUCTOR:
            make_instructor(user)
        # Nobody reads the mail of an example domain, so nobody need answer it.
        EmailAddress.objects.update_or_create(
            user=user, email=login.email, defaults={"verified": True, "primary": True}
        )
