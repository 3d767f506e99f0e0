"""Marking of waiting submissions: every answer once, despite failures of workers."""

from contextlib import contextmanager
from datetime import timedelta
from inspect import signature

import pytest
from django.db import OperationalError, connection
from django.utils import timezone

from config.celery.settings import HARD_LIMIT
from quizzes import problems, tasks
from quizzes.delivery.services.taking import close_overdue
from quizzes.marking import services
from quizzes.marking.services import grade_waiting, queue_again
from quizzes.models import Answer, Attempt, Grade, Submission, Variant
from tests.each import each
from tests.world import Threads, refresh, right_fields, wrong_fields


@pytest.fixture(autouse=True)
def database_that_was_well(monkeypatch):
    monkeypatch.setattr(services, "_database", services._Database(failures=0))


@pytest.mark.service
@each(
    "fields, verdicts, score",
    [
        (right_fields, {"right"}, 6),
        (wrong_fields, {"wrong", "mistake"}, 0),
        (lambda _item: {}, {"blank"}, 0),
    ],
)
def test_answers_are_marked_once_as_right_wrong_or_blank(submit, fields, verdicts, score):
    submission = submit(fields)
    for _ in range(2):
        assert grade_waiting() is False
    assert refresh(submission).state == "graded"
    assert (submission.attempt.score, submission.attempt.out_of) == (score, 6)
    assert set(Grade.objects.values_list("verdict", flat=True)) == verdicts
    assert Grade.objects.count() == 6


def test_a_chosen_wrong_choice_is_a_mistake_of_its_name(submit):
    submit(wrong_fields)
    grade_waiting()
    grade = Grade.objects.filter(answer__item__variant=None).first()
    assert grade.verdict == "mistake"
    assert grade.mistake == grade.answer.raw["answer"]


@pytest.mark.service
def test_points_are_kept_exactly_step_by_step(submit):
    def one_cell_less(item):
        fields = right_fields(item)
        return fields | {next(iter(fields)): ""} if item.position == 2 else fields

    submit(one_cell_less)
    grade_waiting()
    grade = Grade.objects.get(answer__item__position=2)
    assert [step["points"] for step in grade.steps] == ["3/4"]
    assert (grade.points, grade.core_version) == (0.75, problems.CORE_VERSION)


@pytest.mark.service
@pytest.mark.django_db(transaction=True)
def test_many_graders_at_once_mark_each_answer_once(submit):
    for _ in range(6):
        submit()

    def grade(_):
        grade_waiting()

    with Threads(5) as pool:
        list(pool.map(grade, range(5)))
    assert Grade.objects.count() == Answer.objects.count() == 36
    assert not Submission.objects.exclude(state="graded").exists()


def test_submissions_of_a_rush_are_gathered_into_one_batch(submit, monkeypatch):
    def rush(seconds):
        if seconds and Submission.objects.count() == 1:
            submit()
            submit()

    monkeypatch.setattr(services.time, "sleep", rush)
    batches, grade = [], services._grade
    monkeypatch.setattr(
        services, "_grade", lambda claim: (batches.append(len(claim.submissions)), grade(claim))
    )
    submit()
    tasks.grade()
    assert batches == [1, 2]
    assert not Submission.objects.exclude(state="graded").exists()


def claimed_by_another(submission, *, tries=1, seconds=60):
    Submission.objects.filter(pk=submission.pk).update(
        claimed_by="another", claimed_until=timezone.now() + timedelta(seconds=seconds), tries=tries
    )


@pytest.mark.service
@each("seconds, marked", [(60, 0), (-1, 6)])
def test_what_another_worker_holds_is_left_alone_until_its_claim_runs_out(submit, seconds, marked):
    claimed_by_another(submit(), seconds=seconds)
    assert grade_waiting() is False
    assert Grade.objects.count() == marked


@pytest.mark.service
def test_a_grader_that_comes_late_is_discarded(submit, monkeypatch):
    submission = submit()
    mark = services._mark

    def taken_over_meanwhile(pks):
        claimed_by_another(submission)
        return mark(pks)

    monkeypatch.setattr(services, "_mark", taken_over_meanwhile)
    grade_waiting()
    assert not Grade.objects.exists()
    assert (refresh(submission).state, submission.claimed_by) == ("waiting", "another")


@pytest.mark.service
@pytest.mark.parametrize(("tries", "state"), [(4, "graded"), (5, "attention")])
def test_after_five_tries_it_needs_attention(submit, tries, state):
    submission = submit()
    claimed_by_another(submission, tries=tries, seconds=-1)
    grade_waiting()
    assert refresh(submission).state == state


@pytest.mark.service
def test_what_needs_attention_is_marked_again_once_its_cause_is_gone(submit):
    submission = submit()
    failed = {"state": "attention", "trouble": "out of memory", "tries": 5}
    Submission.objects.update(**failed, claimed_until=timezone.now())
    assert queue_again(submissions=Submission.objects.all()) == 1
    assert (refresh(submission).state, submission.tries) == ("waiting", 0)
    assert submission.trouble == "out of memory"
    grade_waiting()
    assert (refresh(submission).state, submission.trouble) == ("graded", "")
    assert submission.attempt.score == 6


def test_what_needs_no_attention_is_not_marked_again(submit):
    claimed_by_another(submit())
    assert queue_again(submissions=Submission.objects.all()) == 0
    Submission.objects.update(claimed_until=timezone.now() - timedelta(seconds=1))
    grade_waiting()
    assert queue_again(submissions=Submission.objects.all()) == 0
    assert Grade.objects.count() == 6


@pytest.mark.parametrize("task", [tasks.grade, tasks.sweep])
def test_a_task_takes_its_last_batch_well_before_it_is_stopped(task):
    services = [grade_waiting, close_overdue] if task is tasks.sweep else [grade_waiting]
    seconds = sum(signature(service).parameters["seconds"].default for service in services)
    assert seconds + 2 <= task.soft_time_limit < task.time_limit < HARD_LIMIT


def test_a_claim_outlives_the_task_by_a_little(submit):
    """Otherwise two workers mark the same, or a dead worker's rows stay claimed."""
    submission = submit()
    before = timezone.now()
    grade_waiting()
    submission.refresh_from_db()
    claimed_for = submission.claimed_until - before
    assert timedelta(seconds=tasks.grade.time_limit) < claimed_for < timedelta(seconds=9)


@pytest.mark.service
def test_a_batch_takes_the_oldest_and_no_more_than_it_may(submit, monkeypatch):
    monkeypatch.setattr(services, "BATCH_SIZE", 2)
    submissions = [submit() for _ in range(3)]
    Submission.objects.filter(pk=submissions[0].pk).update(received_at=timezone.now())
    grade_waiting()
    claims = Submission.objects.order_by("received_at").values_list("claimed_by", flat=True)
    assert claims[0] == claims[1] != claims[2]
    assert not Submission.objects.exclude(state="graded").exists()


def test_a_process_that_has_just_begun_marks_a_small_batch_first(submit, monkeypatch):
    monkeypatch.setattr(services, "_database", services._Database())
    monkeypatch.setattr(services, "BATCH_SIZE", 4)
    for _ in range(5):
        submit()
    grade_waiting()
    claims = Submission.objects.order_by("received_at").values_list("claimed_by", flat=True)
    assert [claims.filter(claimed_by=claim).count() for claim in dict.fromkeys(claims)] == [1, 4]


def test_what_was_tried_before_is_tried_alone(submit):
    for _ in range(3):
        claimed_by_another(submit(), seconds=-1)
    grade_waiting()
    assert Submission.objects.values("claimed_by").distinct().count() == 3


def lose_a_family(submission):
    variant = Variant.objects.filter(items__attempt=submission.attempt).first()
    Variant.objects.filter(pk=variant.pk).update(family="gone")


def mark_an_answer(submission):
    Grade.objects.create(answer=submission.answers.first(), points=0, out_of=1, steps=[])


@pytest.mark.service
@each("spoil, trouble", [(lose_a_family, "gone"), (mark_an_answer, "IntegrityError")])
def test_one_that_cannot_be_marked_or_written_does_not_hold_up_the_others(submit, spoil, trouble):
    broken, *fine = submit(), submit(), submit()
    spoil(broken)
    grade_waiting()
    assert (refresh(broken).state, broken.tries) == ("attention", 5)
    assert trouble in broken.trouble
    assert [refresh(submission).state for submission in fine] == ["graded"] * 2


@contextmanager
def no_room_for_grades():
    """Make the database fail when grades are written, though it takes claims."""
    table = Grade._meta.db_table
    with connection.cursor() as cursor:
        if connection.vendor == "sqlite":
            cursor.execute(f"ALTER TABLE {table} RENAME TO elsewhere")
            back = f"ALTER TABLE elsewhere RENAME TO {table}"
        else:
            cursor.execute(
                "CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS "
                "$$BEGIN RAISE EXCEPTION 'no space left' USING ERRCODE = 'disk_full'; END$$"
            )
            cursor.execute(f"CREATE TRIGGER fails BEFORE INSERT ON {table} EXECUTE FUNCTION fail()")
            back = "DROP FUNCTION fail() CASCADE"
    try:
        yield
    finally:
        with connection.cursor() as cursor:
            cursor.execute(back)


def mark_all():
    """Mark until nothing is left or the database fails; a busy machine needs several rounds."""
    while grade_waiting(seconds=0.1):
        pass


@pytest.mark.service
@pytest.mark.django_db(transaction=True)
def test_a_failure_of_the_database_is_no_try(submit):
    submission = submit()
    with no_room_for_grades():
        for _ in range(2 * services.MAX_TRIES):
            with pytest.raises(OperationalError):
                mark_all()
            Submission.objects.update(claimed_until=None)  # eight seconds later
        assert refresh(submission).state == "waiting"
    grade_waiting()
    assert (refresh(submission).state, submission.trouble) == ("graded", "")
    assert submission.attempt.score == 6


@pytest.mark.service
@pytest.mark.django_db(transaction=True)
def test_what_the_database_fails_at_is_halved_and_made_good_at_once(submit, monkeypatch):
    monkeypatch.setattr(services, "BATCH_SIZE", 4)
    for _ in range(4):
        submit()
    with no_room_for_grades():
        for claimed in (4, 2, 1, 1):
            Submission.objects.update(claimed_by="", claimed_until=None)
            with pytest.raises(OperationalError):
                mark_all()
            assert Submission.objects.exclude(claimed_by="").count() == claimed
    Submission.objects.update(claimed_until=None)
    mark_all()
    assert set(Submission.objects.values_list("state", "tries")) == {("graded", 1)}


def test_nobody_is_marked_by_a_solution_that_changed(submit):
    submission = submit()
    variant = Variant.objects.get(items__attempt=submission.attempt, items__position=3)
    variant.solution["weights"][0] += 0.01
    Variant.objects.filter(pk=variant.pk).update(solution=variant.solution)
    grade_waiting()
    assert refresh(submission).state == "attention"
    assert not Grade.objects.exists()
    assert Attempt.objects.get().score is None


def test_it_stops_when_its_time_is_up_and_says_that_there_is_more(submit):
    submit()
    assert grade_waiting(seconds=0) is True
