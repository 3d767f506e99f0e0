"""Telling the workers that something waits. Losing a ring costs seconds, never what waits."""

import logging
from typing import Any

from django.core.cache import caches
from django.db import transaction

from lessons.sentences import tasks

logger = logging.getLogger(__name__)

# Pages that wait ring too, in case the first ring was lost; so often at most, in each process.
SECONDS_BETWEEN = 2


def send(task: Any) -> None:
    """Ring for a task. A dead or frozen broker costs at most a second, and no error."""
    try:
        task.delay()
    except Exception as trouble:
        # Whatever ails a broker, what waits is a row, and a sweep finds it.
        logger.warning("the doorbell does not ring: %r", trouble)


def is_time_again(task: Any) -> bool:
    """Has this process not rung for the task on behalf of a page just now?"""
    return caches["local"].add(f"doorbell:{task.name}", True, SECONDS_BETWEEN)


def ring_after_commit() -> None:
    """Ring once what was written can be seen by a worker."""
    transaction.on_commit(ring, robust=True)


def ring() -> None:
    """Tell that a sentence waits."""
    send(tasks.read_sentences)


def ring_again() -> None:
    """Ring on behalf of a page that waits, unless this process has rung just now."""
    if is_time_again(tasks.read_sentences):
        ring()
