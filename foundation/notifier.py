"""Wake-ups for workers. A lost one costs seconds, never work, because the queue is a table."""

import logging
from typing import Any

from django.core.cache import caches
from django.db import transaction

logger = logging.getLogger(__name__)

# Waiting pages wake workers too, in case the first wake-up was lost. Each process does so no more
# often than this.
SECONDS_BETWEEN = 2


class Notifier:
    """The notifier of one task. It carries no data: the task itself finds the waiting rows."""

    def __init__(self, task: Any):
        self.task = task

    def wake(self) -> None:
        """Wake a worker now. A dead or frozen broker costs at most a second, and raises nothing."""
        try:
            self.task.delay()
        except Exception as trouble:
            # Without the broker, a sweep finds the waiting rows.
            logger.warning("workers cannot be woken: %r", trouble)

    def wake_after_commit(self) -> None:
        """Wake a worker once the transaction is committed; once, however often this is called."""
        about_to = transaction.get_connection()
        within = set(about_to.savepoint_ids)
        if any(
            wake == self.wake and within.issuperset(inside)
            for inside, wake, _robust in about_to.run_on_commit
        ):
            return
        transaction.on_commit(self.wake, robust=True)

    def wake_again(self) -> None:
        """Wake a worker for a waiting page, unless this process did so SECONDS_BETWEEN ago."""
        if caches["local"].add(f"notifier:{self.task.name}", True, SECONDS_BETWEEN):
            self.wake()
