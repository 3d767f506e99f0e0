"""A thread in each worker process that looks for waiting rows, at the start and when it is idle.

Wake-ups come through the broker, from web servers and from beat. Any of these may be down or full
while a worker and the database work. The thread needs none of them; the event loop of the worker's
main process stands still for as long as the broker is away.
"""

import faulthandler
import logging
import multiprocessing
import sys
import threading
import time
from ctypes import c_byte

from celery import Celery
from celery.signals import task_postrun, task_prerun, worker_process_init, worker_ready

TASK = "quizzes.tasks.sweep"
# The main process must have started first, as only then does it replace processes that end; without
# a broker it never does. A process that replaces another sweeps at once.
MAX_SECONDS_TO_START = 6
SECONDS_AFTER_START = 0.5
# Soon again while rows are claimed by another process, which may be dead.
SECONDS_WHILE_ROWS_WAIT = 0.5
# After a database error: a connection that becomes free is soon taken by others.
SECONDS_AFTER_TROUBLE = 1

logger = logging.getLogger(__name__)


def install(app: Celery, seconds: int) -> None:
    """Start a sweeper in each process of a worker. It sweeps after `seconds` without a task."""
    # Written by the main process for its children. It has no lock: a child killed while waiting for
    # an Event would keep the main process from ever setting it.
    started = multiprocessing.RawValue("b", False)

    @worker_ready.connect(weak=False)
    def note_stopping(**_: object) -> None:
        started.value = True

    @worker_process_init.connect(weak=False)
    def begin(**_: object) -> None:
        Sweeper(app, seconds, started).start()


class Sweeper(threading.Thread):
    def __init__(self, app: Celery, seconds: int, started: c_byte) -> None:
        super().__init__(name="sweeper", daemon=True)
        self.app, self.seconds, self.started = app, seconds, started
        self.busy = False
        self.look_after(0)
        task_prerun.connect(self.hear)
        task_postrun.connect(self.rest)

    def hear(self, **_: object) -> None:
        self.busy = True

    def rest(self, retval: object = None, **_: object) -> None:
        self.busy = False
        self.look_after(self.pause_after(retval))

    def pause_after(self, waits: object) -> float:
        """Return the seconds until the next sweep; a sweep returns True if rows still wait."""
        return SECONDS_WHILE_ROWS_WAIT if waits is True else self.seconds

    def look_after(self, seconds: float) -> None:
        self.due = time.monotonic() + seconds

    def run(self) -> None:
        self.await_start()
        while True:
            if not self.busy and time.monotonic() >= self.due:
                self.sweep()
            time.sleep(0.25)

    def await_start(self) -> None:
        if self.started.value:
            return
        until = time.monotonic() + MAX_SECONDS_TO_START
        while not self.started.value and time.monotonic() < until:
            time.sleep(0.1)
        time.sleep(SECONDS_AFTER_START)

    def sweep(self) -> None:
        from django.db import connections

        task = self.app.tasks[TASK]
        # As Celery does with a task that came by the broker: one that hangs ends its process.
        faulthandler.dump_traceback_later(task.time_limit, exit=True, file=sys.__stderr__)
        try:
            pause = self.pause_after(task())
        except Exception as trouble:
            logger.warning("sweeping failed: %r", trouble)
            pause = SECONDS_AFTER_TROUBLE
        finally:
            faulthandler.cancel_dump_traceback_later()
            connections.close_all()
        self.look_after(pause)
