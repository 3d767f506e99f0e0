"""Kombu's Redis transport, mended where it would end a worker or make it deaf."""

import logging
from queue import Empty
from typing import Any

from kombu.transport import TRANSPORT_ALIASES, redis, virtual

from config.celery.message import made_anew

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


class Refusing:
    """What our channels do otherwise, whichever server they are to reach."""

    QoS = QoS

    def _brpop_read(self, **options: Any) -> Any:
        """Refuse what is no doorbell.

        Kombu and Celery raise for what is odd through the worker's event loop, which ends the
        worker, or leaves it counting a message as in progress that nobody works on.
        """
        try:
            return super()._brpop_read(**options)
        except (Empty, *self.connection_errors, *self.connection.channel_errors):
            raise
        except Exception as error:
            # It has left the queue already; a doorbell that is lost is made good by the sweep.
            logger.warning("Refused what is no message: %.200r", error)
            raise Empty from error


class Remaking:
    """What our transports do otherwise."""

    def _deliver(self, message: Any, queue: str) -> None:
        """Hand on what was made anew of the message, and take it back if that goes wrong."""
        made = made_anew(message, queue)
        try:
            super()._deliver(made, queue)
        except Exception:
            for channel in self.channels:
                channel.qos.ack(made["properties"]["delivery_tag"])
            raise


class Channel(Refusing, redis.Channel):
    pass


class Transport(Remaking, redis.Transport):
    Channel = Channel


class SentinelChannel(Refusing, redis.SentinelChannel):
    """Asks the Sentinels for the primary, each time that it connects."""


class SentinelTransport(Remaking, redis.SentinelTransport):
    Channel = SentinelChannel


def install() -> None:
    """Let addresses that begin with `redis` or `sentinel` mean these transports."""
    TRANSPORT_ALIASES["redis"] = TRANSPORT_ALIASES["rediss"] = f"{__name__}:Transport"
    TRANSPORT_ALIASES["sentinel"] = f"{__name__}:SentinelTransport"
