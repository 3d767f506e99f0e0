"""Telling the workers that an answer waits to be marked."""

from django.db import transaction

from lessons.sentences.doorbell import is_time_again, send
from quizzes import tasks


def ring_after_commit() -> None:
    """Ring once what was written can be seen by a worker."""
    transaction.on_commit(ring, robust=True)


def ring() -> None:
    """Tell that an answer waits."""
    send(tasks.grade)


def ring_again() -> None:
    """Ring on behalf of a page that waits, unless this process has rung just now."""
    if is_time_again(tasks.grade):
        ring()
