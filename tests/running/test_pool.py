"""A worker's processes that end are replaced, and they end when the worker is told to."""

import array
import fcntl
import os
import signal
import sys
import termios
from pathlib import Path

import pytest

from operations.tasks import answer_doctor
from scripts.processes import Group
from tests.conftest import worker_of_tests
from tests.processes import Process, children_of, wait_until

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


SECONDS_TO_END = 15  # a worker that nothing holds up takes one or two


def test_a_worker_told_to_end_just_as_a_message_arrives_ends(
    group: Group, broker: Process | None
) -> None:
    """The message has been handed to a process, which has not said yet that it began."""
    with worker_of_tests(group, "told") as worker:
        assert worker.process is not None
        main = worker.process.pid
        # A process that is up, as who takes long to start is replaced; and that has nothing to do.
        first = answer_doctor.delay()
        ended = f"[{first.id}] succeeded"
        wait_until(lambda: ended in worker.log.read_text(), what="the first message's end")
        (child,) = children_of(main)
        os.kill(child, signal.SIGSTOP)
        answer_doctor.delay()
        wait_until(lambda: unread_by(child), what="the message in the process's pipe")
        # The pool's end, and so that what had not begun was given up, shows by a thread of it.
        threads = threads_of(main)
        worker.send(signal.SIGTERM)
        wait_until(lambda: threads_of(main) > threads, what="the pool's end")
        os.kill(child, signal.SIGCONT)
        assert worker.process.wait(SECONDS_TO_END) == 0


def unread_by(pid: int) -> bool:
    """Return whether something waits in a pipe that a process reads from."""
    waiting = array.array("i", [0])
    for file in Path(f"/proc/{pid}/fd").iterdir():
        if os.readlink(file).startswith("pipe:") and os.access(file, os.R_OK):
            with open(os.open(file, os.O_RDONLY | os.O_NONBLOCK), "rb") as pipe:
                fcntl.ioctl(pipe, termios.FIONREAD, waiting)
            if waiting[0]:
                return True
    return False


def threads_of(pid: int) -> int:
    return len(os.listdir(f"/proc/{pid}/task"))
