"""Doorbells: each task calls a service, and carries no data."""

from celery import shared_task

from lessons.sentences import services as sentences


@shared_task
def read_sentences():
    """Let the model read whatever waits; ring again if time ran out first."""
    if sentences.read_waiting():
        read_sentences.delay()


@shared_task
def sweep():
    """Read what was left behind by a lost message or worker, and forget what is old."""
    sentences.forget_old()
    if sentences.read_waiting():
        read_sentences.delay()
