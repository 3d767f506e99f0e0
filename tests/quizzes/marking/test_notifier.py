"""The notifier: a dead or frozen broker costs a student at most a second, and never an error."""

import re
import signal
import socket
import subprocess
import sys
import time

import pytest

from foundation.notifier import SECONDS_BETWEEN
from quizzes.models import Submission
from quizzes.notifiers import grading_notifier
from tests.conftest import environment
from tests.processes import wait_until

# A separate web process: Celery reads the broker's address once, when it is first needed.
SUBMIT = """
import sys, time, django
django.setup()
from django.contrib.auth import get_user_model
from django.test import Client
client = Client()
client.force_login(get_user_model().objects.get(email="student@example.org"))
began = time.monotonic()
answer = client.post(sys.argv[1], headers={"host": "localhost"})
print("took", time.monotonic() - began)
waiting = client.get(answer.url, headers={"host": "localhost"})
print(answer.status_code, answer.url, waiting.status_code, "Waiting" in waiting.text)
"""

pytestmark = [pytest.mark.service, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def silent_broker():
    """The address of a server that accepts connections and never answers."""
    with socket.create_server(("127.0.0.1", 0), backlog=50) as server:
        yield f"redis://127.0.0.1:{server.getsockname()[1]}/0"


@pytest.fixture
def no_broker():
    """An address at which no server listens."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    return f"redis://127.0.0.1:{port}/0"


@pytest.mark.parametrize(
    "broker_kind", ["silent_broker", pytest.param("no_broker", marks=pytest.mark.slow)]
)
def test_submitting_gets_its_receipt_without_the_broker(request, answered_attempt, broker_kind):
    url = request.getfixturevalue(broker_kind)
    run = subprocess.run(
        [sys.executable, "-c", SUBMIT, f"/attempts/{answered_attempt.pk}/submit/"],
        env=environment(REDIS_URL=url),
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert run.returncode == 0, run.stderr
    assert f"302 /attempts/{answered_attempt.pk}/results/ 200 True" in run.stdout
    took = float(re.search(r"took ([\d.]+)", run.stdout)[1])
    # A second on an idle machine. Waiting for the broker would take minutes.
    assert took < 5, run.stdout
    assert Submission.objects.get().state == "waiting"


def test_submitting_rings_and_a_worker_marks(worker, answered_attempt, client, as_student):
    client.post(f"/attempts/{answered_attempt.pk}/submit/")
    wait_until(lambda: Submission.objects.filter(state="graded").exists(), what="the mark")


def test_the_page_that_waits_rings_when_the_first_ring_was_lost(
    worker, answered_attempt, client, monkeypatch, as_student
):
    with monkeypatch.context() as patch:
        patch.setattr(grading_notifier, "wake", lambda: None)
        client.post(f"/attempts/{answered_attempt.pk}/submit/")
    time.sleep(SECONDS_BETWEEN)
    client.get(f"/attempts/{answered_attempt.pk}/results/")
    wait_until(lambda: Submission.objects.filter(state="graded").exists(), what="the mark")


def test_a_worker_that_is_down_delays_the_mark_and_nothing_else(
    worker, answered_attempt, client, as_student
):
    worker.send(signal.SIGSTOP)
    try:
        client.post(f"/attempts/{answered_attempt.pk}/submit/")
        assert (
            "Waiting to be marked" in client.get(f"/attempts/{answered_attempt.pk}/results/").text
        )
    finally:
        worker.send(signal.SIGCONT)
    wait_until(lambda: Submission.objects.filter(state="graded").exists(), what="the mark")
