"""A message that comes back: beat sends it, the broker carries it, a worker writes the time.

Its age says more than three pings would, for it is the way that every doorbell goes. The time is
kept by the broker itself, so that asking costs one short round trip and no row. The broker also
says how old it is, so that no clock that is off makes it older or younger.
"""

import time
from typing import NamedTuple

from celery import current_app
from django.conf import settings
from redis import Redis

from foundation.broker import client as client_of

# Beat sends one every five seconds; a worker may be marking for ten before it looks up.
SECONDS, STALE = 5, 60
BEAT, DOCTOR = "beat", "doctor"
_PATIENCE = 0.5
_KEPT = 3600


class Pulse(NamedTuple):
    """What a worker wrote at a message: the time by its own clock, and how old that is."""

    written: float
    seconds: float


def broker() -> Redis:
    """A client of the broker that does not wait for long."""
    return client_of(settings.REDIS_URL, seconds=_PATIENCE)


def came_back(sender: str) -> None:
    """Write down that a worker has just had a message from this sender."""
    with broker() as client:
        client.set(_key(sender), time.time(), ex=_KEPT)


def last(sender: str) -> Pulse | None:
    """Return what a worker wrote at this sender's last message; None: nothing within the hour.

    Raises:
        redis.RedisError: the broker does not answer.
    """
    with broker() as client:
        written, left = client.pipeline().get(_key(sender)).pttl(_key(sender)).execute()
    return None if written is None else Pulse(float(written), _KEPT - left / 1000)


def waiting() -> int:
    """Return how many messages no worker has taken yet."""
    with broker() as client:
        return client.llen(current_app.conf.task_default_queue)


def _key(sender: str) -> str:
    return f"softmark:pulse:{sender}"
