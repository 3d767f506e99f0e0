"""Real workers over a real broker: a wake-up arrives, and waiting submissions are marked."""

import time

import pytest

from quizzes import tasks
from quizzes.delivery.services.taking import submit_attempt
from quizzes.models import Grade, Submission, Variant
from tests.processes import wait_until
from tests.world import answer_everything

pytestmark = [pytest.mark.service, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def waiting_submission(attempt):
    answer_everything(attempt)
    return submit_attempt(attempt=attempt)


def is_graded(waiting_submission):
    return Submission.objects.filter(pk=waiting_submission.pk, state="graded").exists()


def test_a_worker_marks_what_waits_when_the_notifier_wakes_it(worker, waiting_submission):
    tasks.grade.delay()
    wait_until(lambda: is_graded(waiting_submission), what="the mark")
    waiting_submission.attempt.refresh_from_db()
    assert waiting_submission.attempt.score == 6


def test_the_same_wake_up_ten_times_gives_one_grade_an_answer(worker, waiting_submission):
    for _ in range(10):
        tasks.grade.delay()
    wait_until(lambda: is_graded(waiting_submission), what="the mark")
    time.sleep(0.5)
    assert Grade.objects.count() == 6


def test_a_worker_stocks_variants_ahead(worker, quiz):
    tasks.stock_variants.delay()
    wait_until(lambda: Variant.objects.count() > 20, what="the stock")


def test_a_worker_killed_in_the_middle_loses_nothing(worker, waiting_submission):
    tasks.grade.delay()
    worker.kill()
    worker.start()
    # The dead worker's claim expires after eight seconds; then no notice is needed.
    wait_until(lambda: is_graded(waiting_submission), 20, "the mark")
    assert Grade.objects.count() == 6
