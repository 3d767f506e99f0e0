"""Telling the workers that something waits. Losing a ring costs seconds, never what waits."""

import logging
from typing import Any

from django.core.cache import caches
from django.db import transaction

logger = logging.getLogger(__name__)

# Pages that wait ring too, in case the first ring was lost; so often at most, in each process.
SECONDS_BETWEEN = 2


class Doorbell:
    """The bell of one task. The task finds by itself what waits: a ring carries no data."""

    def __init__(self, task: Any):
        self.task = task

    def ring(self) -> None:
        """Ring now. A dead or frozen broker costs at most a second, and no error."""
        try:
            self.task.delay()
        except Exception as trouble:
            # Whatever ails a broker, what waits is a row, and a sweep finds it.
            logger.warning("the doorbell does not ring: %r", trouble)

    def ring_after_commit(self) -> None:
        """Ring once what was written can be seen by a worker; once, however much that is."""
        about_to = transaction.get_connection()
        within = set(about_to.savepoint_ids)
        if any(
            ring == self.ring and within.issuperset(inside)
            for inside, ring, _robust in about_to.run_on_commit
        ):
            return
        transaction.on_commit(self.ring, robust=True)

    def ring_again(self) -> None:
        """Ring on behalf of a page that waits, unless this process has rung for one just now."""
        if caches["local"].add(f"doorbell:{self.task.name}", True, SECONDS_BETWEEN):
            self.ring()
