"""What is done to accounts, by their owners or without anybody's asking."""

from allauth.usersessions.models import UserSession
from django.contrib.sessions.models import Session
from django.db import transaction
from django.utils import timezone

from accounts.models import User

LETTER = "accounts.letter"


def change_name(*, user: User, name: str, sorts_as: str) -> None:
    """Call somebody so from now on, and list them by last names as that; "" for the last word."""
    user.name, user.sorts_as = name, sorts_as
    user.save(update_fields=["name", "sorts_as"])


def choose_zone(*, user: User, time_zone: str) -> None:
    """Show somebody every time in this zone; "" for the site's."""
    user.time_zone = time_zone
    user.save(update_fields=["time_zone"])


@transaction.atomic
def forget_sessions() -> None:
    """Delete the sessions that have run out, and what is told of the browsers they were of."""
    Session.objects.filter(expire_date__lt=timezone.now()).delete()
    UserSession.objects.exclude(session_key__in=Session.objects.values("session_key")).delete()
