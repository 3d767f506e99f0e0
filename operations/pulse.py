"""A message that comes back: beat sends it, the broker carries it, a worker writes the time.

Its age says more than three pings would, for it is the way that every doorbell goes. The time is
kept by the broker itself, so that asking costs one short round trip and no row.
"""

import time

from django.conf import settings
from redis import Redis

from foundation.broker import client as client_of

# Beat sends one every five seconds; a worker may be marking for ten before it looks up.
SECONDS, STALE = 5, 60
BEAT, DOCTOR = "beat", "doctor"
_PATIENCE = 0.5


def broker() -> Redis:
    """A client of the broker that does not wait for long."""
    return client_of(settings.REDIS_URL, seconds=_PATIENCE)


def came_back(sender: str) -> None:
    """Write down that a worker has just had a message from this sender."""
    with broker() as client:
        client.set(_key(sender), time.time(), ex=3600)


def seconds_since(sender: str) -> float | None:
    """How long ago a worker last had a message from this sender; None: not within the hour.

    Raises:
        redis.RedisError: the broker does not answer.
    """
    written = last(sender)
    return None if written is None else max(0.0, time.time() - written)


def last(sender: str) -> float | None:
    """Return what a worker wrote at this sender's last message: the time by its own clock."""
    with broker() as client:
        written = client.get(_key(sender))
    return None if written is None else float(written)


def _key(sender: str) -> str:
    return f"softmark:pulse:{sender}"
