"""The Celery app and its extensions; its settings are in settings.py."""

import gc
import os
from pathlib import Path

from celery import Celery
from celery.signals import worker_process_init
from django_structlog.celery.steps import DjangoStructLogInitStep

from config import environment
from config.celery import heartbeat, sweeping, watch

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
# NumPy's threads fight over the cores on which the worker processes already run. NumPy reads
# this once, when it is imported, which in a worker comes after this module.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

app = Celery("softmark")
# By name, so that it is read when it is first needed and Django's settings are there.
app.config_from_object("config.celery.settings")
app.autodiscover_tasks()
app.autodiscover_tasks(["lessons.sentences"])

# A task's log lines carry the id of the request that woke it.
app.steps["worker"].add(DjangoStructLogInitStep)
file = environment.text("SOFTMARK_HEARTBEAT", "")
heartbeat.install(app, Path(file) if file else None)
app.steps["worker"].add(watch.Watch)
sweeping.install(app, environment.integer("SOFTMARK_SWEEP_SECONDS", default=5, least=1))


@worker_process_init.connect
def settle(**_):
    """Freeze what the process has loaded, and collect garbage less often.

    A batch creates objects by the ten thousand and drops them all.
    """
    gc.freeze()  # Django and everything else that stays.
    gc.set_threshold(50_000, 20, 20)
