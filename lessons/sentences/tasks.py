"""Doorbells: each task calls a service, and carries no data."""

from celery import shared_task

from foundation.doorbell import Doorbell
from lessons.sentences import services as sentences


@shared_task
def read_sentences():
    """Let the model read whatever waits; ring again if time ran out first."""
    if sentences.read_waiting():
        reading_bell.ring()


@shared_task
def sweep():
    """Read what was left behind by a lost message or worker, and forget what is old."""
    sentences.forget_old()
    if sentences.read_waiting():
        reading_bell.ring()


# To be rung when a sentence waits to be read.
reading_bell = Doorbell(read_sentences)
