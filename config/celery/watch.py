"""A thread that kills a worker whose event loop hangs, or that does not end on a signal.

A supervisor starts another worker; rows that the old one claimed are still in the queue. An
unreachable broker does not count as hanging: meanwhile the worker's processes sweep.
"""

import logging
import os
import signal
import threading
import time
from typing import Any

from billiard import active_children
from celery import bootsteps
from celery.bootsteps import CLOSE, TERMINATE
from celery.worker import state
from celery.worker.components import Pool

from config.celery.heartbeat import Heartbeat

MAX_SECONDS_DEAF = 20
# A running task may finish in this time; otherwise the next worker takes over.
SECONDS_AFTER_A_FAILURE = 5
# Celery's pool hangs about one time in fifteen if SIGTERM comes while a message is being written
# to a process: the process waits for the rest of it, and the pool for the process.
SECONDS_IDLE = 5
# Above a task's hard limit, and below the grace of `docker stop` (docker-compose.yml).
SECONDS_TO_END = 40
EXIT_CODE = 70  # EX_SOFTWARE of sysexits.h

logger = logging.getLogger(__name__)


class Watch(bootsteps.StartStopStep):
    """A worker step that starts the watching thread in the main process."""

    requires = (Pool,)

    def start(self, worker: Any) -> None:
        threading.Thread(target=watch, args=(worker,), name="watch", daemon=True).start()


def watch(worker: Any) -> None:
    """Check the worker once a second.

    Checks are counted, not seconds, so that a machine that slept does not count as hanging.
    """
    deaf = failed = ending = idle = 0
    last = None
    while True:
        time.sleep(1)
        deaf = deaf + 1 if Heartbeat.last is not None and Heartbeat.last == last else 0
        last = Heartbeat.last
        if is_stopping():
            ending += 1
            idle = 0 if state.active_requests else idle + 1
        elif worker.blueprint.state in (CLOSE, TERMINATE):
            failed += 1
        if deaf > MAX_SECONDS_DEAF:
            kill_worker(f"It has heard nothing for {MAX_SECONDS_DEAF} s")
        if failed > SECONDS_AFTER_A_FAILURE:
            kill_worker(f"It failed {SECONDS_AFTER_A_FAILURE} s ago")
        if ending > SECONDS_TO_END:
            kill_worker(f"It was told to end {SECONDS_TO_END} s ago")
        if idle > SECONDS_IDLE:
            kill_worker(f"It was told to end and has had no task for {SECONDS_IDLE} s")


def is_stopping() -> bool:
    flags = (state.should_stop, state.should_terminate)
    return any(flag is not None and flag is not False for flag in flags)


def kill_worker(why: str) -> None:
    """Kill the processes of this worker's pool, then exit at once."""
    logger.critical("%s, so this worker is ended at once.", why)
    for process in active_children():
        os.kill(process.pid, signal.SIGKILL)
    os._exit(EXIT_CODE)
