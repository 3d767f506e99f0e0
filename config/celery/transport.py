"""Kombu's Redis transport, mended where it would end a worker or make it deaf."""

import logging
from queue import Empty
from typing import Any

from kombu.transport import TRANSPORT_ALIASES, redis, virtual

logger = logging.getLogger(__name__)


class QoS(redis.QoS):
    def ack(self, delivery_tag: str) -> None:
        """Count a message as done also when the broker cannot be told.

        Kombu would count it as in progress for ever, and a worker that takes one message at a
        time would never take another. The broker gives it out once more; it is but a doorbell.
        """
        try:
            super().ack(delivery_tag)
        except self.channel.connection_errors:
            virtual.QoS.ack(self, delivery_tag)
            raise


class Channel(redis.Channel):
    QoS = QoS

    def _brpop_read(self, **options: Any) -> Any:
        """Refuse what is no message at all.

        Celery refuses unknown tasks and unwanted content types by itself, but for other bytes
        kombu raises through the worker's event loop, which ends the worker.
        """
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
