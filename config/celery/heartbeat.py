"""A file whose age says whether a worker or beat is alive; `deploy/healthy.py` looks at it.

Workers take no remote commands, so none can be asked. Instead each touches the file every two
seconds for as long as it is connected to its broker and takes messages or works on one, and beat
does so with every message that the broker has taken.
"""

from pathlib import Path
from typing import Any

from celery import Celery, bootsteps
from celery.signals import after_task_publish, beat_init
from celery.worker import state
from celery.worker.consumer import Tasks

SECONDS = 2


def hears(worker: Any) -> bool:
    """Whether a worker would take a message; one that has no room for it must be at work.

    Its event loop asks this between messages, so it does turn.
    """
    return bool(state.reserved_requests) or worker.task_consumer.channel.qos.can_consume()


def install(app: Celery, file: Path) -> None:
    class Heartbeat(bootsteps.StartStopStep):
        """Begins when the worker takes messages, and ends when it is no longer connected."""

        requires = (Tasks,)
        entry: Any = None

        def start(self, worker: Any) -> None:
            self.entry = worker.timer.call_repeatedly(SECONDS, self.beat, (worker,))

        def beat(self, worker: Any) -> None:
            if hears(worker):
                file.touch()

        def stop(self, worker: Any) -> None:
            if self.entry:
                worker.timer.cancel(self.entry)
                self.entry = None

    def touch_when_published(**_: Any) -> None:
        # In beat alone: a worker's tasks publish too, from processes that outlive a stuck worker.
        after_task_publish.connect(lambda **_: file.touch(), weak=False)

    app.steps["consumer"].add(Heartbeat)
    beat_init.connect(touch_when_published, weak=False)
