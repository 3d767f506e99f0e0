"""The three accounts of a demo, one for each role. Never created outside a demo."""

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
    """An account of the demo."""

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
def create_demo_accounts() -> None:
    """Create the demo accounts, or reset them."""
    hashed = ""
    for login in LOGINS:
        user, is_new = User.objects.get_or_create(email=login.email, defaults={"name": login.name})
        user.is_active = True
        user.is_superuser = user.is_staff = login is ADMIN
        # A new hash would log everybody out.
        if is_new or not user.check_password(PASSWORD):
            # Hashing is slow on purpose, and the password is public: one hash for all will do.
            user.password = hashed = hashed or make_password(PASSWORD)
        user.save()
        if login is INSTRUCTOR:
            make_instructor(user)
        # Nobody reads mail to an example domain, so the address needs no confirmation.
        EmailAddress.objects.update_or_create(
            user=user, email=login.email, defaults={"verified": True, "primary": True}
        )
