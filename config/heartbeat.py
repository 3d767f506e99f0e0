"""A file whose age says whether a worker or beat is alive; `deploy/healthy.py` looks at it.

Workers take no remote commands, so none can be asked. Instead each touches the file every two
seconds for as long as it is connected to its broker, and beat does so with every message
that the broker has taken.
"""

from pathlib import Path
from typing import Any

from celery.signals import after_task_publish, beat_init, heartbeat_sent


def keep(file: Path) -> None:
    def touch(**_: Any) -> None:
        file.touch()

    def touch_when_published(**_: Any) -> None:
        # In beat alone: a worker's tasks publish too, from processes that outlive a stuck worker.
        after_task_publish.connect(touch, weak=False)

    heartbeat_sent.connect(touch, weak=False)
    beat_init.connect(touch_when_published, weak=False)
