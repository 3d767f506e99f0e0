"""The Celery app and what it changes of Celery; settings.py holds its settings."""

import gc
import os
from pathlib import Path

import billiard.pool
from celery import Celery
from celery.signals import worker_process_init
from django_structlog.celery.steps import DjangoStructLogInitStep

from config import environment
from config.celery import heartbeat, sweeping, transport

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
# NumPy's threads fight over the cores on which the worker processes already run. NumPy reads
# this once, when it is imported, which in a worker comes after this module.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

SECONDS_TO_BE_READ = 2

transport.install()
app = Celery("softmark")
# By name, so that it is read when it is first needed and Django's settings are there.
app.config_from_object("config.celery.settings")
app.autodiscover_tasks()
app.autodiscover_tasks(["lessons.sentences"])

# A task's lines carry the id of the request that rang for it.
app.steps["worker"].add(DjangoStructLogInitStep)
if file := environment.text("SOFTMARK_HEARTBEAT", ""):
    heartbeat.install(app, Path(file))
sweeping.install(app, environment.integer("SOFTMARK_SWEEP_SECONDS", default=5, least=1))


@worker_process_init.connect
def settle(**_):
    """Spare the collector: a batch makes objects by the ten thousand and drops them all."""
    gc.freeze()  # Django and everything else that stays.
    gc.set_threshold(50_000, 20, 20)
    # Before it ends, this process waits until the main process has read its last result. A worker
    # told to end at the moment a message arrives forgets that one and never reads its result, so
    # the wait would last billiard's 30 seconds.
    billiard.pool.GUARANTEE_MESSAGE_CONSUMPTION_RETRY_LIMIT = SECONDS_TO_BE_READ * 10
