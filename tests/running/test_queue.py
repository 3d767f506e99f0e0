"""Celery as it is set up: a doorbell that never makes anyone wait."""

import signal
import time

import pytest
from celery import current_app
from django.db import transaction
from kombu.exceptions import OperationalError

from tests.conftest import DEPLOYED, Process, wait_until


def ring() -> None:
    current_app.send_task("quizzes.tasks.sweep")


@pytest.mark.service
def test_a_worker_hears_the_doorbell(worker: Process) -> None:
    before = worker.log.read_text().count("succeeded")
    ring()
    wait_until(lambda: worker.log.read_text().count("succeeded") > before, 10)


@pytest.mark.service
def test_garbage_in_the_queue_does_not_hurt_a_worker(worker: Process) -> None:
    with current_app.connection_for_write() as connection:
        client = connection.default_channel.client
        for garbage in (b"garbage", b"\x80\x04}q.", b"{}", b"[1]", b'{"properties": {}}'):
            client.lpush("softmark", garbage)
    current_app.send_task("no.such.task")
    test_a_worker_hears_the_doorbell(worker)


@pytest.mark.skipif(DEPLOYED, reason="a Redis that others use is not to be frozen")
class TestWithoutABroker:
    @pytest.mark.parametrize("how", [signal.SIGSTOP, signal.SIGKILL])
    def test_ringing_takes_a_second_at_most(self, broker: Process, how: signal.Signals) -> None:
        ring()  # so that a connection is there already, as it is in a busy web process
        broker.send(how)
        try:
            for _ in range(3):
                began = time.monotonic()
                with pytest.raises(OperationalError):
                    ring()
                assert time.monotonic() - began < 1.2
        finally:
            broker.kill()

    @pytest.mark.parametrize("how", [signal.SIGSTOP, signal.SIGKILL])
    def test_a_worker_carries_on_when_the_broker_is_back(
        self, worker: Process, broker: Process, how: signal.Signals
    ) -> None:
        broker.send(how)
        time.sleep(3)
        if how is signal.SIGSTOP:
            broker.send(signal.SIGCONT)
        else:
            broker.end(signal.SIGKILL)
            broker.start()
        assert worker.alive
        test_a_worker_hears_the_doorbell(worker)

    def test_a_worker_hears_again_after_a_message_that_it_could_not_acknowledge(
        self, worker: Process, broker: Process
    ) -> None:
        with transaction.atomic():  # on SQLite the task waits for this to end
            ring()
            wait_until(lambda: "received" in worker.log.read_text().splitlines()[-1], 10)
            broker.send(signal.SIGSTOP)
        wait_until(lambda: "Couldn't ack" in worker.log.read_text(), 10)
        broker.send(signal.SIGCONT)
        test_a_worker_hears_the_doorbell(worker)
