"""Services of accounts: changes by their owners, and clean-up."""

from allauth.usersessions.models import UserSession
from django.contrib.sessions.models import Session
from django.db import transaction
from django.utils import timezone

from accounts.models import User

LETTER = "accounts.letter"


def change_name(*, user: User, name: str, sorts_as: str) -> None:
    """Set a user's name, and what it sorts as by last name; "" for the last word of the name."""
    user.name, user.sorts_as = name, sorts_as
    user.save(update_fields=["name", "sorts_as"])


def set_time_zone(*, user: User, time_zone: str) -> None:
    """Set the time zone in which a user sees all times; "" for the site's."""
    user.time_zone = time_zone
    user.save(update_fields=["time_zone"])


@transaction.atomic
def delete_expired_sessions() -> None:
    """Delete expired sessions and the records of their browsers."""
    Session.objects.filter(expire_date__lt=timezone.now()).delete()
    UserSession.objects.exclude(session_key__in=Session.objects.values("session_key")).delete()
