"""A worker's heartbeat: when its event loop last ran, for its watch and for `deploy/healthy.py`.

Workers take no remote commands, so none can be asked. Instead each touches a file every two seconds
for as long as it is connected to its broker. Beat touches it with every message that the broker has
accepted.
"""

import time
from pathlib import Path
from typing import Any

from celery import Celery, bootsteps
from celery.signals import after_task_publish, beat_init
from celery.worker.consumer import Tasks

SECONDS = 2


class Heartbeat(bootsteps.StartStopStep):
    """A worker step that beats while the worker is connected to its broker."""

    requires = (Tasks,)
    file: Path | None = None
    last: float | None = None  # on the monotonic clock; None while it is not connected
    entry: Any = None

    def start(self, worker: Any) -> None:
        self.beat()
        self.entry = worker.timer.call_repeatedly(SECONDS, self.beat)

    def beat(self) -> None:
        Heartbeat.last = time.monotonic()
        if self.file:
            self.file.touch()

    def stop(self, worker: Any) -> None:
        Heartbeat.last = None
        if self.entry:
            worker.timer.cancel(self.entry)
            self.entry = None


def install(app: Celery, file: Path | None) -> None:
    Heartbeat.file = file
    app.steps["consumer"].add(Heartbeat)
    if file:
        beat_init.connect(lambda **_: after_task_publish.connect(_touch, weak=False), weak=False)


def _touch(**_: Any) -> None:
    # In beat alone: a worker's tasks publish too, from processes that outlive a stuck worker.
    if Heartbeat.file:
        Heartbeat.file.touch()
