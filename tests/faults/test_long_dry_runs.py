"""A long dry run whose worker is killed in the middle."""

import pytest
from django.contrib.auth import get_user_model

from quizzes.marking.services import grade_waiting
from quizzes.models import Attempt, Ruling
from quizzes.notifiers import regrade_notifier
from quizzes.regrades.services import PART_SIZE, draft_regrade
from tests.conftest import worker_of_tests
from tests.faults.one_question import make_quiz
from tests.faults.test_servers import hand_in
from tests.processes import wait_until
from tests.world import insert_copies

pytestmark = [pytest.mark.service, pytest.mark.slow, pytest.mark.django_db(transaction=True)]
User = get_user_model()
MANY = 4 * PART_SIZE


def each_of(rows):
    """Return a function for `insert_copies` that returns the rows' keys one after another."""
    keys = iter([row.pk for row in rows])
    return lambda _row: next(keys)


def copy_attempt(pattern: Attempt, count: int) -> None:
    """Create `count` more attempts like this one, of one question, by the thousand."""
    people = [User(email=f"many-{number}@example.org") for number in range(count)]
    students = User.objects.bulk_create(people)
    item, submission = pattern.items.get(), pattern.submissions.get()
    answer = item.answers.get()
    attempts = insert_copies([pattern] * count, student_id=each_of(students))
    items = insert_copies([item] * count, attempt_id=each_of(attempts))
    submissions = insert_copies([submission] * count, attempt_id=each_of(attempts))
    answers = insert_copies(
        [answer] * count, item_id=each_of(items), submission_id=each_of(submissions)
    )
    insert_copies([answer.grades.get()] * count, answer_id=each_of(answers))


def test_a_worker_killed_in_the_middle_leaves_the_dry_run_to_the_next(broker, group):
    quiz, student = make_quiz(), User.objects.create_user("student@example.org")
    hand_in(quiz, student, 1)
    grade_waiting()
    copy_attempt(Attempt.objects.get(), MANY - 1)
    draft = draft_regrade(
        regrade=Ruling(quiz=quiz, kind="void", reason="Wrong.", never_lower=False)
    )
    assert (draft.lines_to_do, draft.lines.count()) == (MANY, 0)

    def now():
        return Ruling.objects.get(pk=draft.pk)

    with worker_of_tests(group, "run-over", SOFTMARK_SWEEP_SECONDS="5") as worker:
        regrade_notifier.wake()
        wait_until(lambda: now().lines_done, 60, "the first part")
        worker.kill()
        assert now().is_running
        assert now().lines_done == draft.lines.count() < MANY
        worker.start()
        wait_until(lambda: not now().is_running, 120, "the end of the dry run")
    figures = [now().summary[name] for name in ("answers", "changed_attempts", "lost")]
    assert figures == [draft.lines.count()] * 3 == [MANY] * 3
