"""The part of a worker that takes messages in, without the talk among workers."""

from typing import Any

from celery.worker.consumer import Consumer

# All of it goes to nobody here. Worse, a worker that cannot send its event heartbeat tries
# again for ever inside its event loop, where it hears neither messages nor SIGTERM.
SILENT = {"without_heartbeat": True, "without_gossip": True, "without_mingle": True}


class QuietConsumer(Consumer):
    def __init__(self, *args: Any, worker_options: dict[str, Any] | None = None, **options: Any):
        super().__init__(*args, worker_options=(worker_options or {}) | SILENT, **options)
