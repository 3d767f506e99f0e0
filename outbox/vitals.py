"""Counts that show operators whether sending keeps up."""

from datetime import timedelta

from django.db.models import Q
from django.utils import timezone

from outbox.models import Message

OVERDUE_AFTER = timedelta(minutes=15)


def count_failed() -> int:
    """Return the number of messages that could not be sent."""
    return Message.objects.filter(state=Message.State.FAILED).count()


def count_overdue() -> int:
    """Return the number of messages that are long overdue, including those being retried.

    A claimed message that was never tried waits for the day's digest, and is not counted.
    """
    now = timezone.now()
    rests = Q(tries=0, claimed_until__gt=now)
    waiting = Message.objects.filter(state=Message.State.WAITING, due__lt=now - OVERDUE_AFTER)
    return waiting.exclude(rests).count()
