"""Counts that show operators whether sending keeps up."""

from datetime import timedelta

from django.db.models import Q
from django.utils import timezone

from outbox.models import Message

A_WHILE = timedelta(minutes=15)


def failed() -> int:
    """Return the number of messages that could not be sent."""
    return Message.objects.filter(state=Message.State.FAILED).count()


def overdue() -> int:
    """Return the number of messages that are long overdue, including those being retried.

    A claimed message that was never tried waits for the day's digest, and is not counted.
    """
    now = timezone.now()
    rests = Q(tries=0, claimed_until__gt=now)
    waiting = Message.objects.filter(state=Message.State.WAITING, due__lt=now - A_WHILE)
    return waiting.exclude(rests).count()
