"""Celery as configured: a notifier that never makes anyone wait."""

import contextlib
import re
import time
from pathlib import Path

import pytest
from celery import current_app
from django.conf import settings
from django.db import transaction
from kombu.exceptions import OperationalError

from tests.conftest import DEPLOYED
from tests.processes import Process, wait_until


def ring(task: str = "quizzes.tasks.sweep") -> None:
    current_app.send_task(task)


def ring_patiently(*task: str) -> None:
    """Notify until it succeeds: a busy disk can delay a broker for half a second."""

    def rung() -> bool:
        with contextlib.suppress(OperationalError):
            ring(*task)
            return True
        return False

    wait_until(rung, what="a message")


def assert_heard(worker: Process) -> None:
    """Check that a notice reaches the worker. The first after a broker's restart may be lost."""
    before = worker.log.read_text().count("succeeded")

    def heard() -> bool:
        ring_patiently()
        time.sleep(0.2)
        return worker.log.read_text().count("succeeded") > before

    wait_until(heard, what="the task")


@pytest.mark.service
def test_a_worker_is_woken_by_the_notifier(worker: Process) -> None:
    assert_heard(worker)


# The names in workers, beats and web processes of earlier releases.
TASKS = [
    *("accounts.tasks.forget_idle_accounts", "accounts.tasks.forget_sessions"),
    *("classes.tasks.forget_imports", "classes.tasks.post_letters"),
    "classes.tasks.post_morning",
    *("lessons.sentences.tasks.read_sentences", "lessons.sentences.tasks.sweep"),
    *("operations.tasks.answer_doctor", "operations.tasks.beat", "outbox.tasks.send"),
    *("quizzes.tasks.grade", "quizzes.tasks.rehearse", "quizzes.tasks.rule"),
    *("quizzes.tasks.stock_variants", "quizzes.tasks.sweep", "quizzes.tasks.tidy"),
]


@pytest.mark.service
def test_a_task_is_heard_by_the_name_it_has_always_had(worker: Process) -> None:
    for task in TASKS:
        ring_patiently(task)
    for task in TASKS:
        done = re.compile(rf"Task {re.escape(task)}\[[0-9a-f-]+\] succeeded")
        wait_until(lambda done=done: done.search(worker.log.read_text()), what=task)


@pytest.mark.slow
@pytest.mark.skipif(DEPLOYED, reason="a Redis that others use is not to be frozen")
class TestWithoutABroker:
    @pytest.mark.parametrize("how", ["freeze", "kill"])
    def test_notifying_takes_a_second_at_most(self, broker: Process, how: str) -> None:
        ring_patiently()  # opens a connection first, as in a busy web process
        getattr(broker, how)()
        try:
            for _ in range(3):
                began = time.monotonic()
                with pytest.raises(OperationalError):
                    ring()
                # The machine runs other tests meanwhile.
                assert time.monotonic() - began < 3
        finally:
            broker.kill()

    def test_a_worker_carries_on_when_a_frozen_broker_goes_on(
        self, worker: Process, broker: Process
    ) -> None:
        with transaction.atomic():  # on SQLite a writing task waits for the end of this
            ring_patiently("lessons.sentences.tasks.sweep")
            broker.freeze()
            time.sleep(9)
        broker.thaw()
        assert_heard(worker)

    def test_a_worker_carries_on_when_a_dead_broker_is_back(
        self, worker: Process, broker: Process
    ) -> None:
        with transaction.atomic():
            ring_patiently("lessons.sentences.tasks.sweep")
            broker.kill()
            time.sleep(7)
        broker.start()
        assert_heard(worker)

    def test_a_worker_that_cannot_reach_the_broker_still_ends_in_order(
        self, worker: Process, broker: Process
    ) -> None:
        broker.freeze()
        time.sleep(3)  # everything that a worker does every few seconds has failed by now
        broker.kill()
        began = time.monotonic()
        worker.stop()
        assert time.monotonic() - began < 10

    def test_a_worker_shows_life_while_it_is_connected(
        self, worker: Process, broker: Process
    ) -> None:
        file = Path(settings.DATA) / "heartbeat"

        def beats() -> bool:
            """Return whether the file is touched within three seconds; it should be every two."""
            before = file.stat().st_mtime_ns if file.exists() else 0
            time.sleep(3)
            return file.exists() and file.stat().st_mtime_ns != before

        wait_until(beats)
        broker.kill()
        wait_until(lambda: not beats())
        broker.start()
        wait_until(beats)
