"""Workers without a broker look for work by themselves, and one bad row delays no other."""

import sys
from datetime import timedelta

import pytest

from quizzes.marking.services import CLAIM_TIME, MAX_TRIES
from quizzes.models import Grade, Submission
from tests.conftest import worker_of_tests
from tests.processes import wait_until
from tests.world import refresh, right_fields

pytestmark = pytest.mark.django_db(transaction=True)

NO_BROKER = "redis://127.0.0.1:1/0"


def graded():
    return Submission.objects.filter(state="graded").count()


@pytest.mark.slow
def test_without_a_broker_a_worker_marks_what_waits_when_it_starts_and_what_comes(group, submit):
    submit()
    worker = worker_of_tests(group, "deaf", REDIS_URL=NO_BROKER, SOFTMARK_SWEEP_SECONDS="2")
    worker.is_ready = lambda: graded() == 1
    with worker:
        submit()
        wait_until(lambda: graded() == 2, what="the mark")


POISON = "666"
# A worker that dies of this text.
POISONED = """
import os, runpy, sys, time
from attention_core.grading import typed
from celery.worker.consumer import Consumer
start = Consumer.start
def start_late(consumer):
    time.sleep({late})
    start(consumer)
Consumer.start = start_late
read = typed._read
def read_poison(text, *, integer):
    if text == {poison!r}:
        {deed}
    return read(text, integer=integer)
typed._read = read_poison
sys.argv = {command!r}
runpy.run_module("celery", run_name="__main__")
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("deed", "late"),
    [
        pytest.param("os.kill(os.getpid(), 9)", 0, id="killed", marks=pytest.mark.service),
        pytest.param("os.kill(os.getpid(), 9)", 3, id="started late", marks=pytest.mark.slow),
        pytest.param("while True: pass", 0, id="hangs", marks=pytest.mark.slow),
    ],
)
def test_a_row_that_ends_its_worker_holds_up_the_others_for_ten_seconds_at_most(
    group, broker, submit, deed, late
):
    bad = submit(lambda item: dict.fromkeys(right_fields(item), POISON))
    for _ in range(5):
        submit()
    worker = worker_of_tests(group, "poisoned", 2, SOFTMARK_SWEEP_SECONDS="5")
    command = ["celery", *worker.command[3:]]
    program = POISONED.format(poison=POISON, deed=deed, late=late, command=command)
    worker.command = [sys.executable, "-c", program]
    worker.is_ready = lambda: Submission.objects.exclude(claimed_until=None).exists()
    with worker:
        began = Submission.objects.get(pk=bad.pk).claimed_until - CLAIM_TIME
        try:
            wait_until(lambda: graded() == 5, 30, "the others' marks")
        finally:
            print(worker.log.read_text())  # noqa: T201 (shown where the test failed)
    assert (refresh(bad).state, Grade.objects.count()) == ("waiting", 30)
    assert bad.tries < MAX_TRIES
    done = max(Submission.objects.exclude(pk=bad.pk).values_list("graded_at", flat=True))
    # On a busy machine; waiting for a second claim would take twenty.
    assert done - began < timedelta(seconds=17)
