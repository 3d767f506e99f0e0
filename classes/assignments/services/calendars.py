"""The address under which somebody's calendar program fetches their dates."""

from typing import Any

from django.utils import timezone

from classes.models import Calendar
from foundation.tokens import draw, hashed


def make_calendar(*, user: Any) -> str:
    """Make an address; one that was there leads nowhere from now on. Return what is secret in it.

    It is told this once: what is kept is its hash.
    """
    token = draw()
    told = {"token": hashed(token), "made_at": timezone.now()}
    Calendar.objects.update_or_create(user=user, defaults=told)
    return token


def end_calendar(*, user: Any) -> None:
    """Let the address lead nowhere."""
    Calendar.objects.filter(user=user).delete()
