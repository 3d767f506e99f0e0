"""Kombu's Redis transport, except that what is no message at all does not end the worker.

Celery refuses unknown tasks and unwanted content types by itself; but for bytes in the queue
that are no message, kombu raises through the worker's event loop, which ends it.
"""

import logging
from queue import Empty
from typing import Any

from kombu.transport import TRANSPORT_ALIASES, redis

logger = logging.getLogger(__name__)


class Channel(redis.Channel):
    def _brpop_read(self, **options: Any) -> Any:
        try:
            return super()._brpop_read(**options)
        except (ValueError, TypeError, KeyError, AttributeError) as error:
            # It has left the queue already; a doorbell that is lost is made good by the sweep.
            logger.warning("Refused what is no message: %r", error)
            raise Empty from error


class Transport(redis.Transport):
    Channel = Channel


def install() -> None:
    """Let addresses that begin with `redis` mean this transport."""
    TRANSPORT_ALIASES["redis"] = TRANSPORT_ALIASES["rediss"] = f"{__name__}:Transport"
