"""Telling the workers that something waits. Losing a ring costs seconds, never an answer."""

import logging

from django.core.cache import caches
from django.db import transaction

from quizzes import tasks

logger = logging.getLogger(__name__)

# Pages that wait ring too, in case the first ring was lost; so often at most, in each process.
SECONDS_BETWEEN = 2


def ring_after_commit() -> None:
    """Ring once what was written can be seen by a worker."""
    transaction.on_commit(ring, robust=True)


def ring() -> None:
    """Ring. A dead or frozen broker costs at most a second (config/queue.py), and no error."""
    try:
        tasks.grade.delay()
    except Exception as trouble:
        # Whatever ails a broker, the answers are stored, and a sweep finds what waits.
        logger.warning("the doorbell does not ring: %r", trouble)


def ring_again() -> None:
    """Ring on behalf of a page that waits, unless this process has rung just now."""
    if caches["local"].add("doorbell", True, SECONDS_BETWEEN):
        ring()
