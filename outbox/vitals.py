"""Whether sending keeps up, in numbers, for whoever runs the site."""

from datetime import timedelta

from django.db.models import Q
from django.utils import timezone

from outbox.models import Message

A_WHILE = timedelta(minutes=15)


def failed() -> int:
    """How many messages could not be sent."""
    return Message.objects.filter(state=Message.State.FAILED).count()


def overdue() -> int:
    """How many should have been sent a while ago, those included that are tried again and again.

    What rests without having been tried waits for the day's digest.
    """
    now = timezone.now()
    rests = Q(tries=0, claimed_until__gt=now)
    waiting = Message.objects.filter(state=Message.State.WAITING, due__lt=now - A_WHILE)
    return waiting.exclude(rests).count()
