"""The pool of a worker's processes, mended where it would miss that one of them has ended."""

import time
from typing import Any

from celery.concurrency.asynpool import AsynPool
from celery.concurrency.prefork import TaskPool

MOST_SECONDS_TO_END = 1.0


class WaitingPool(AsynPool):
    def _event_process_exit(self, hub: Any, proc: Any) -> None:
        """Wait until a process that is ending has ended, then replace it.

        The event is that its end of a pipe is closed. The kernel closes a process's files a moment
        before the process counts as ended, so Celery often asks too soon; it takes the process to
        be alive, has given up its only event, and asks again in five seconds. Those the others
        lack, who wait for what it held. Nor is it waited for any longer than that: meanwhile the
        worker hears nothing.
        """
        until = time.monotonic() + MOST_SECONDS_TO_END
        while proc.is_alive() and time.monotonic() < until:
            time.sleep(0.01)
        super()._event_process_exit(hub, proc)


class Pool(TaskPool):
    Pool = WaitingPool
