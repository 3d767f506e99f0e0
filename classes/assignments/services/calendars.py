"""Services for the secret address of a user's calendar file."""

from typing import Any

from django.utils import timezone

from classes.models import Calendar
from foundation.tokens import draw, hash_token


def create_calendar(*, user: Any) -> str:
    """Create an address, replacing a former one. Return its secret token.

    Only a hash of the token is stored, so it can be shown only once.
    """
    token = draw()
    values = {"token": hash_token(token), "made_at": timezone.now()}
    Calendar.objects.update_or_create(user=user, defaults=values)
    return token


def delete_calendar(*, user: Any) -> None:
    """Delete the calendar's address."""
    Calendar.objects.filter(user=user).delete()
