"""A worker process looks by itself for what waits: when it starts, and while it hears nothing.

Bells come by way of the broker, from web servers and from beat. Any of them may be dead or full
while a worker and the database are well. A thread in each process needs none of them; the event
loop of the worker's main process stands still for as long as the broker is away.
"""

import faulthandler
import logging
import sys
import threading
import time

from celery import Celery
from celery.signals import task_postrun, task_prerun, worker_process_init

TASK = "quizzes.tasks.sweep"
# By then the main process, too, has started, and sees to processes that end.
SECONDS_AFTER_START = 2
# Soon again while something waits that another holds: perhaps another that is dead.
SECONDS_WHILE_IT_WAITS = 0.5

logger = logging.getLogger(__name__)


def install(app: Celery, seconds: int) -> None:
    """Let each process of a worker sweep after hearing nothing for so many seconds."""

    @worker_process_init.connect(weak=False)
    def begin(**_: object) -> None:
        Sweeper(app, seconds).start()


class Sweeper(threading.Thread):
    def __init__(self, app: Celery, seconds: int) -> None:
        super().__init__(name="sweeper", daemon=True)
        self.app, self.seconds = app, seconds
        self.busy = False
        self.due = time.monotonic() + SECONDS_AFTER_START
        task_prerun.connect(self.hear)
        task_postrun.connect(self.rest)

    def hear(self, **_: object) -> None:
        self.busy = True

    def rest(self, **_: object) -> None:
        self.busy = False
        self.due = time.monotonic() + self.seconds

    def run(self) -> None:
        while True:
            if not self.busy and time.monotonic() >= self.due:
                self.sweep()
            time.sleep(0.25)

    def sweep(self) -> None:
        from django.db import connections

        task = self.app.tasks[TASK]
        # As Celery does with a task that came by the broker: one that hangs ends its process.
        faulthandler.dump_traceback_later(task.time_limit, exit=True, file=sys.__stderr__)
        try:
            waits = task()
        except Exception as trouble:
            logger.warning("sweeping failed: %r", trouble)
            waits = False
        finally:
            faulthandler.cancel_dump_traceback_later()
            connections.close_all()
        self.due = time.monotonic() + (SECONDS_WHILE_IT_WAITS if waits else self.seconds)
