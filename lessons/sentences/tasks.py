"""Celery tasks that call the services for sentences; their messages carry no data."""

from celery import shared_task

from foundation.notifier import Notifier
from lessons.sentences import services


@shared_task
def read_sentences():
    """Read waiting sentences with the model. Wake a worker again if time runs out first."""
    if services.read_waiting():
        reading_notifier.wake()


@shared_task
def sweep():
    """Read sentences left behind by a lost message or worker, and delete old ones."""
    services.forget_old()
    if services.read_waiting():
        reading_notifier.wake()


# Wakes a worker when a sentence waits to be read.
reading_notifier = Notifier(read_sentences)
