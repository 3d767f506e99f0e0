"""A thread that ends a worker which has gone deaf, or which doesn't end when it is told to.

Whoever supervises the worker starts another; what the old one held still waits in its row. A broker
that is away is no deafness: meanwhile the worker's processes sweep.
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

SECONDS_TO_TURN = 20
# A task that is under way may end; what it would not, it leaves to the next worker.
SECONDS_AFTER_A_FAILURE = 5
# Celery's pool hangs about one time in fifteen if SIGTERM comes while a message is being written
# to a process: the process waits for the rest of it, and the pool for the process.
SECONDS_IDLE = 5
# Above a task's hard limit, and below the grace of `docker stop` (docker-compose.yml).
SECONDS_TO_END = 40
EXIT_CODE = 70  # EX_SOFTWARE of sysexits.h

logger = logging.getLogger(__name__)


class Watch(bootsteps.StartStopStep):
    """Starts with a worker's main process, and ends with it."""

    requires = (Pool,)

    def start(self, worker: Any) -> None:
        threading.Thread(target=watch, args=(worker,), name="watch", daemon=True).start()


def watch(worker: Any) -> None:
    """Look once a second; a machine that slept has looked once, so its sleep is no deafness."""
    deaf = failed = told = idle = 0
    last = None
    while True:
        time.sleep(1)
        deaf = deaf + 1 if Heartbeat.last is not None and Heartbeat.last == last else 0
        last = Heartbeat.last
        if is_told_to_end():
            told += 1
            idle = 0 if state.active_requests else idle + 1
        elif worker.blueprint.state in (CLOSE, TERMINATE):
            failed += 1
        if deaf > SECONDS_TO_TURN:
            end(f"It has heard nothing for {SECONDS_TO_TURN} s")
        if failed > SECONDS_AFTER_A_FAILURE:
            end(f"It failed {SECONDS_AFTER_A_FAILURE} s ago")
        if told > SECONDS_TO_END:
            end(f"It was told to end {SECONDS_TO_END} s ago")
        if idle > SECONDS_IDLE:
            end(f"It was told to end and has had no task for {SECONDS_IDLE} s")


def is_told_to_end() -> bool:
    flags = (state.should_stop, state.should_terminate)
    return any(flag is not None and flag is not False for flag in flags)


def end(why: str) -> None:
    """Kill the processes of this worker's pool, then leave without any further ado."""
    logger.critical("%s, so this worker is ended at once.", why)
    for process in active_children():
        os.kill(process.pid, signal.SIGKILL)
    os._exit(EXIT_CODE)
