"""A worker's processes that end are replaced."""

import sys
from pathlib import Path

import pytest

from scripts.processes import Group
from tests.conftest import Process, children_of, wait_until, worker_of_tests

pytestmark = [pytest.mark.service, pytest.mark.django_db(transaction=True)]

# A worker that looks after its processes only when one has told that it ends, and one of whose
# processes ends as slowly as on a busy machine: its files are closed, and it is still there.
SLOW = """
import os, runpy, sys, threading, time
from celery.concurrency.asynpool import AsynPool
from celery.signals import worker_process_init
AsynPool.timers = {{}}
def end():
    while not os.path.exists({mark!r}):
        time.sleep(0.05)
    os.remove({mark!r})
    os.closerange(3, 1000)
    time.sleep(0.5)
    os.kill(os.getpid(), 9)
@worker_process_init.connect(weak=False)
def begin(**_):
    threading.Thread(target=end, daemon=True).start()
sys.argv = {command!r}
runpy.run_module("celery", run_name="__main__")
"""


def test_a_process_that_takes_its_time_to_end_is_replaced(
    group: Group, broker: Process | None, tmp_path: Path
) -> None:
    worker, mark = worker_of_tests(group, "slow"), tmp_path / "end"
    program = SLOW.format(mark=str(mark), command=["celery", *worker.command[3:]])
    worker.command = [sys.executable, "-c", program]
    with worker:
        assert worker.process is not None
        main = worker.process.pid
        before = children_of(main)
        mark.touch()
        wait_until(lambda: children_of(main) - before, what="a new process")
        assert not children_of(main) & before
