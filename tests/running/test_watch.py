"""A worker that hangs ends by itself, and its processes that are killed are replaced."""

import os
import signal
import sys
from pathlib import Path

import pytest
from django.conf import settings

from config.celery.watch import EXIT_CODE
from scripts.processes import Group
from tests.conftest import worker_of_tests
from tests.processes import Process, children_of, wait_until

pytestmark = pytest.mark.django_db(transaction=True)

# A worker whose watch gives up sooner, and which stops listening once a file exists.
IMPATIENT = """
import os, runpy, sys, time
from config.celery import heartbeat, watch
watch.MAX_SECONDS_DEAF = watch.SECONDS_TO_END = 3
beat = heartbeat.Heartbeat.beat
def beat_or_hang(self):
    while os.path.exists({mark!r}):
        time.sleep(1)
    beat(self)
heartbeat.Heartbeat.beat = beat_or_hang
sys.argv = {command!r}
runpy.run_module("celery", run_name="__main__")
"""


@pytest.fixture
def mark(tmp_path: Path) -> Path:
    return tmp_path / "hang"


@pytest.fixture
def impatient(group: Group, broker: Process | None, mark: Path) -> Process:
    worker = worker_of_tests(group, "impatient")
    program = IMPATIENT.format(mark=str(mark), command=["celery", *worker.command[3:]])
    worker.command = [sys.executable, "-c", program]
    return worker


def main_of(worker: Process) -> int:
    assert worker.process is not None
    return worker.process.pid


@pytest.mark.slow
def test_one_whose_event_loop_hangs_ends_with_its_processes(impatient: Process, mark: Path) -> None:
    with impatient as worker:
        children = children_of(main_of(worker))
        mark.touch()
        assert exit_code_of(worker) == EXIT_CODE
        wait_until(lambda: not any(map(is_there, children)), what="the end of its processes")


@pytest.mark.slow
def test_one_that_is_told_to_end_and_hangs_ends(impatient: Process) -> None:
    with impatient as worker:
        (child,) = children_of(main_of(worker))
        os.kill(child, signal.SIGSTOP)  # it never reports its end
        worker.send(signal.SIGTERM)
        assert exit_code_of(worker) == EXIT_CODE


@pytest.mark.slow
def test_one_that_is_told_to_end_and_has_no_task_is_not_waited_for(
    group: Group, broker: Process | None
) -> None:
    with worker_of_tests(group, "idle") as worker:
        (child,) = children_of(main_of(worker))
        os.kill(child, signal.SIGSTOP)
        worker.send(signal.SIGTERM)
        assert exit_code_of(worker) == EXIT_CODE  # sooner than the 40 s that a task has


@pytest.mark.slow
def test_one_without_a_broker_is_not_deaf(impatient: Process, broker: Process) -> None:
    with impatient as worker:
        broker.kill()
        lost = "Cannot connect"
        wait_until(lambda: worker.log.read_text().count(lost) > 3, what="some tries to connect")
        assert worker.alive
        broker.start()


@pytest.mark.slow
def test_a_process_that_is_killed_is_replaced(group: Group, broker: Process | None) -> None:
    with worker_of_tests(group, "killed") as worker:
        before = children_of(main_of(worker))
        for child in before:
            os.kill(child, signal.SIGKILL)
        wait_until(lambda: children_of(main_of(worker)) - before, what="a new process")


@pytest.mark.slow
def test_the_heartbeat_touches_its_file(group: Group, broker: Process | None) -> None:
    file = Path(settings.DATA) / "beating"
    with worker_of_tests(group, "beating", SOFTMARK_HEARTBEAT=str(file)):
        first = wait_until(lambda: file.exists() and file.stat().st_mtime, what="a heartbeat")
        wait_until(lambda: file.stat().st_mtime > first, what="another heartbeat")


def exit_code_of(worker: Process) -> int:
    assert worker.process is not None
    return worker.process.wait(30)


def is_there(pid: int) -> bool:
    return Path(f"/proc/{pid}").exists()
