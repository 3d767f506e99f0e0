"""Brokers and workers that are killed, emptied, full and restarted while answers wait."""

import shutil
import signal
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from django.conf import settings
from django.contrib.auth import get_user_model
from django.db import connection
from django.db.models import Count, Sum

from quizzes.delivery.services.taking import Save, save_draft, start_attempt, submit_attempt
from quizzes.models import Answer, Attempt, Grade, Submission
from quizzes.notifiers import grading_notifier
from tests.conftest import patient_client, worker_of_tests
from tests.faults.one_question import make_quiz
from tests.processes import Process, wait_until

# Tests that kill or fill the broker are not marked `service`: others may use the Redis there.
pytestmark = pytest.mark.django_db(transaction=True)

# More than a worker marks before it ends.
BURST = 100


@pytest.fixture
def worker(broker, group) -> Iterator[Process]:
    """A worker as on a server, which also looks for waiting work by itself now and then."""
    with worker_of_tests(group, "survivor", SOFTMARK_SWEEP_SECONDS="5") as worker:
        yield worker
        print(worker.log.read_text())  # noqa: T201 (shown where the test failed)


@pytest.fixture
def quiz(db):
    return make_quiz()


@pytest.fixture
def student(db):
    return get_user_model().objects.create_user("student@example.org")


def hand_in(quiz, student, count: int) -> None:
    """Answer and submit `count` attempts; every other answer is right."""
    for number in range(count):
        attempt = start_attempt(student=student, quiz=quiz)
        answer = Save({"answer-choice": "ab"[number % 2]}, 0, f"save-{number}")
        save_draft(attempt=attempt, position=1, save=answer)
        submit_attempt(attempt=attempt)
        grading_notifier.wake()


def all_are_marked() -> bool:
    return not Submission.objects.exclude(state=Submission.State.GRADED).exists()


def nothing_is_lost_or_doubled(count: int) -> None:
    """Check that each acknowledged answer has one grade, and that grades add up to scores."""
    assert Submission.objects.count() == Answer.objects.count() == count
    assert not Answer.objects.exclude(raw__answer__in=["a", "b"]).exists()
    assert not Answer.objects.annotate(grades_of=Count("grades")).exclude(grades_of=1).exists()
    sums = dict(Grade.objects.values_list("answer__submission__attempt").annotate(Sum("points")))
    assert sums == dict(Attempt.objects.values_list("pk", "score"))


@pytest.mark.slow
@pytest.mark.parametrize("count", [10, pytest.param(100, marks=pytest.mark.slow)])
def test_a_broker_killed_and_emptied_loses_no_answer(quiz, student, worker, broker, count):
    hand_in(quiz, student, count // 10)
    broker.kill()
    folder = Path(settings.DATA) / "valkey"
    for entry in folder.iterdir():
        if entry.is_dir():
            shutil.rmtree(entry)
    hand_in(quiz, student, count - count // 10)
    broker.start()
    wait_until(all_are_marked, 60, "the last mark")
    nothing_is_lost_or_doubled(count)


@pytest.mark.slow
def test_a_full_broker_keeps_nobody_from_submitting_nor_from_marks(quiz, student, worker, broker):
    with patient_client(settings.REDIS_URL) as client:
        client.config_set("maxmemory", 1)
        try:
            seconds = []
            for _attempt in range(3):
                began = time.monotonic()
                hand_in(quiz, student, 1)
                seconds.append(time.monotonic() - began)
            # A busy machine may delay one of them, a broker all.
            assert min(seconds) < 2
            # No message gets through; the worker looks by itself.
            wait_until(all_are_marked, 60, "the last mark")
        finally:
            client.config_set("maxmemory", 0)
    nothing_is_lost_or_doubled(3)


@pytest.mark.slow
def test_a_broker_restarted_five_times_under_load(quiz, student, worker, broker):
    for _ in range(5):
        hand_in(quiz, student, 10)
        broker.kill()
        broker.start()
    wait_until(all_are_marked, 60, "the last mark")
    nothing_is_lost_or_doubled(50)


@pytest.mark.slow
@pytest.mark.parametrize(
    "how",
    [
        pytest.param(signal.SIGTERM, id="ended", marks=pytest.mark.service),
        # Its claims expire after eight seconds: see tests/quizzes/marking/test_worker.py.
        pytest.param(signal.SIGKILL, id="killed", marks=pytest.mark.slow),
    ],
)
def test_a_worker_that_ends_in_a_burst_loses_nothing(
    quiz, student, worker: Process, how: signal.Signals
):
    hand_in(quiz, student, BURST)
    worker.end(how)
    worker.start()
    wait_until(all_are_marked, 60, "the last mark")
    nothing_is_lost_or_doubled(BURST)


@pytest.mark.slow
@pytest.mark.service
def test_a_lost_wake_up_costs_seconds(quiz, student, worker):
    attempt = start_attempt(student=student, quiz=quiz)
    save_draft(attempt=attempt, position=1, save=Save({"answer-choice": "a"}, 0, "save"))
    submit_attempt(attempt=attempt)  # and the web process dies before it notifies
    wait_until(all_are_marked, 60, "the mark")
    nothing_is_lost_or_doubled(1)


# Not marked `service`: SQLite is the one with a single writer at a time.
@pytest.mark.parametrize("people", [10, pytest.param(50, marks=pytest.mark.slow)])
def test_all_who_save_at_once_are_acknowledged_and_kept(quiz, people):
    create = get_user_model().objects.create_user
    attempts = [
        start_attempt(student=create(f"{number}@example.org"), quiz=quiz)
        for number in range(people)
    ]

    def save(attempt: Attempt) -> None:
        try:
            for number in range(4):
                change = Save({"answer-choice": "abcd"[number]}, number, f"save-{number}")
                save_draft(attempt=attempt, position=1, save=change)
        finally:
            connection.close()

    with ThreadPoolExecutor(people) as pool:
        list(pool.map(save, attempts))
    for attempt in attempts:
        item = attempt.items.get()
        assert (item.draft, item.revision) == ({"answer-choice": "d"}, 4)
