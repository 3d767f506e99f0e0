"""The pulse: a message that beat sends, the broker carries, and a worker answers with the time.

Its age says more than a ping of each part would, because every wake-up takes the same way. The time
is stored in the broker itself, so that reading it costs one short round trip and no row. The broker
also reports its age, so that a wrong clock does not distort it.
"""

import time
from typing import NamedTuple

from celery import current_app
from django.conf import settings
from redis import Redis

from foundation.broker import connect

# Beat sends one every five seconds; a worker may be marking for ten before it takes the next.
SECONDS, STALE = 5, 60
BEAT, DOCTOR = "beat", "doctor"
_PATIENCE = 0.5
_KEPT = 3600


class Pulse(NamedTuple):
    """A worker's last answer: the time by its own clock, and its age in seconds."""

    written: float
    seconds: float


def broker() -> Redis:
    """Return a client of the broker that does not wait for long."""
    return connect(settings.REDIS_URL, seconds=_PATIENCE)


def record_pulse(sender: str) -> None:
    """Record that a worker has just handled a message from this sender."""
    with broker() as client:
        client.set(_key(sender), time.time(), ex=_KEPT)


def last_pulse(sender: str) -> Pulse | None:
    """Return the last answer to this sender's messages, or None if there was none within the hour.

    Raises:
        redis.RedisError: the broker does not answer.
    """
    with broker() as client:
        written, left = client.pipeline().get(_key(sender)).pttl(_key(sender)).execute()
    return None if written is None else Pulse(float(written), _KEPT - left / 1000)


def waiting_messages() -> int:
    """Return the number of messages that no worker has taken yet."""
    with broker() as client:
        return client.llen(current_app.conf.task_default_queue)


def _key(sender: str) -> str:
    return f"softmark:pulse:{sender}"
