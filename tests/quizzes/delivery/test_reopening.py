"""A reopened attempt takes answers again, is submitted again, and the last time counts."""

from contextlib import suppress
from datetime import timedelta
from threading import Barrier
from unittest import mock

import pytest
from django.utils import timezone

from quizzes.delivery.effective_settings import EffectiveSettings
from quizzes.delivery.queries.attempts import attempts_of, last_submission, latest_attempts
from quizzes.delivery.queries.counting import counting_attempt_shown
from quizzes.delivery.queries.secrecy import VisibleMarks
from quizzes.delivery.services.deadlines import (
    change_settings,
    extend_attempt,
    grant_extra_time,
    withdraw_extra_time,
)
from quizzes.delivery.services.reopening import reopen_attempt
from quizzes.delivery.services.retention import forget_attempts, forget_drafts
from quizzes.delivery.services.taking import close_overdue, start_attempt, submit_attempt
from quizzes.errors import NotOpen, Refused
from quizzes.marking import services, vitals
from quizzes.marking.queries import earlier_mistakes, marked_exam
from quizzes.marking.services import grade_waiting
from quizzes.models import Answer, Attempt, ExtraTime, Grade, Sitting, Submission
from quizzes.personal import export_personal_data
from quizzes.practice.queries.skill_records import skill_records
from quizzes.practice.services import practise_quiz
from tests.quizzes.reading import Page
from tests.world import (
    Threads,
    answer_everything,
    later,
    let_time_run_out,
    missing_in,
    refresh,
    right_fields,
    save_answer,
    submit_and_mark,
    take_quiz,
    wrong_fields,
)


def reopen(handed_in):
    return reopen_attempt(attempt=handed_in, until=later())


def answer_again(handed_in, fields):
    for item in handed_in.items.select_related("variant", "attempt"):
        save_answer(item, fields(item), token=f"again {item.position}")


@pytest.fixture
def handed_in(quiz, student):
    """A submitted and marked attempt with everything wrong."""
    return take_quiz(student, quiz, wrong_fields)


@pytest.fixture
def right_again(handed_in):
    """The attempt, reopened, submitted with everything right, and marked."""
    answer_again(reopen(handed_in), right_fields)
    return submit_and_mark(handed_in)


# Reopening


@pytest.mark.service
def test_it_takes_answers_until_the_new_end(handed_in):
    until = later(5)
    reopened = reopen_attempt(attempt=handed_in, until=until)
    assert (reopened.state, reopened.deadline, reopened.reopened) == ("open", until, 1)
    assert (reopened.submitted_at, reopened.score) == (None, None)
    assert save_answer(reopened.items.first(), {"answer": "1"}).revision == 2


@pytest.mark.service
def test_drafts_that_were_deleted_as_old_come_back_and_what_was_marked_stays(handed_in):
    before = list(handed_in.items.values_list("draft", "revision"))
    answers, grades = list(Answer.objects.values()), list(Grade.objects.values())
    Attempt.objects.update(submitted_at=timezone.now() - timedelta(days=9))
    assert forget_drafts(days=7) == 6
    assert before[0][0]
    reopen(handed_in)
    assert list(handed_in.items.values_list("draft", "revision")) == before
    assert (list(Answer.objects.values()), list(Grade.objects.values())) == (answers, grades)


def test_the_last_time_counts(handed_in):
    assert handed_in.score == 0
    answer_again(reopen(handed_in), right_fields)
    second = submit_attempt(attempt=handed_in)
    assert second.number == 2
    assert last_submission(handed_in) == second
    grade_waiting()
    assert refresh(handed_in).score == 6
    assert submit_attempt(attempt=handed_in) == second


def test_one_that_time_ended_can_be_reopened(quiz, student):
    handed_in = start_attempt(student=student, quiz=quiz)
    let_time_run_out(handed_in)
    assert reopen(handed_in).is_open
    assert Submission.objects.get().number == 1  # the submission at the end of its time
    assert submit_attempt(attempt=handed_in).number == 2


def test_it_can_be_reopened_again_but_not_while_it_runs(handed_in):
    for number in (2, 3):
        reopen(handed_in)
        with pytest.raises(Refused, match="already in progress"):
            reopen(handed_in)
        assert submit_attempt(attempt=handed_in).number == number
    grade_waiting()
    assert Submission.objects.filter(state="graded").count() == 3


def test_the_clock_closes_it_at_its_new_end(handed_in):
    let_time_run_out(reopen(handed_in))
    assert close_overdue() == 1
    assert Submission.objects.count() == 2


@pytest.mark.service
def test_practice_is_not_reopened_nor_anything_in_the_past_or_beside_another_that_runs(
    quiz, student, handed_in
):
    with pytest.raises(Refused, match="Practice"):
        reopen(practise_quiz(student=student, quiz=quiz))
    with pytest.raises(Refused, match="in the past"):
        reopen_attempt(attempt=handed_in, until=timezone.now() - timedelta(seconds=1))
    start_attempt(student=student, quiz=quiz)
    with pytest.raises(Refused, match="another attempt"):
        reopen(handed_in)
    assert not refresh(handed_in).is_open


def test_a_start_goes_on_with_it(quiz, student, handed_in):
    reopen(handed_in)
    assert start_attempt(student=student, quiz=quiz) == handed_in


# Attempts that count


def test_while_it_is_open_it_has_no_marks_anywhere(handed_in, student):
    now = timezone.now()
    assert skill_records(student, now)
    reopen(handed_in)
    assert last_submission(handed_in) is None
    assert marked_exam(Attempt.objects.all(), handed_in.pk) is None
    assert not skill_records(student, now)
    [listed], [latest] = attempts_of(student), latest_attempts(student)
    assert listed.handed_in == latest.handed_in == []
    assert counting_attempt_shown(listed.sitting, [listed], VisibleMarks(now)) is None
    [exported] = export_personal_data(student)["attempts"]
    assert not any(answer["grades"] for item in exported["items"] for answer in item["answers"])


@pytest.mark.service
def test_skills_follow_what_was_handed_in_last(handed_in, student):
    assert {record.mastery for record in skill_records(student, timezone.now())} == {0}
    answer_again(reopen(handed_in), right_fields)
    submit_and_mark(handed_in)
    assert {record.mastery for record in skill_records(student, timezone.now())} == {1}


@pytest.mark.service
def test_mistakes_of_an_earlier_time_are_not_shown_as_made_before(quiz, student, handed_in):
    second = start_attempt(student=student, quiz=quiz)
    assert earlier_mistakes(second)
    submit_attempt(attempt=second)
    answer_again(reopen(handed_in), right_fields)
    submit_and_mark(handed_in)
    assert not earlier_mistakes(second)


def test_what_counts_no_more_needs_no_attention(handed_in):
    Submission.objects.update(state="attention")
    assert vitals.count_needing_attention() == 1
    reopen(handed_in)
    assert vitals.count_needing_attention() == 0


@pytest.mark.service
def test_old_attempts_go_though_an_earlier_time_could_not_be_marked(handed_in):
    submit_and_mark(reopen(handed_in))
    then = timezone.now() - timedelta(days=9)
    Submission.objects.filter(number=1).update(state="attention")
    Submission.objects.update(received_at=then)
    Attempt.objects.update(started_at=then, submitted_at=then)
    handed_in.items.update(saved_at=then)
    assert forget_attempts(days=7) == 1


# Its pages


def test_its_student_is_led_back_to_the_questions(client, handed_in, as_student):
    reopen(handed_in)
    assert client.get(f"/attempts/{handed_in.pk}/results/").url == handed_in.get_absolute_url()
    assert client.get(f"/attempts/{handed_in.pk}/status/").json()["state"] == "open"
    assert client.get(handed_in.get_absolute_url()).status_code == 200


def test_a_page_that_looked_before_is_led_there_too(client, handed_in, as_student):
    with mock.patch("quizzes.marking.views.last_submission", return_value=None):
        assert client.get(f"/attempts/{handed_in.pk}/results/").status_code == 302
    with mock.patch("quizzes.delivery.views.attempt.last_submission", return_value=None):
        assert client.get(f"/attempts/{handed_in.pk}/status/").json()["state"] == "open"


def test_its_results_are_those_of_the_last_time(client, right_again, as_student):
    page = Page(client.get(f"/attempts/{right_again.pk}/results/"))
    assert missing_in(page.text, "6 of 6 points", "Reopened after being submitted") == []


# More time for one attempt


def test_an_attempt_is_extended_to_the_very_second(quiz, student):
    handed_in, until = start_attempt(student=student, quiz=quiz), later(99)
    assert extend_attempt(attempt=handed_in, until=until).deadline == until


def test_what_is_over_and_what_has_no_clock_is_not_extended_and_nothing_is_shortened(quiz, student):
    attempt = start_attempt(student=student, quiz=quiz)
    with pytest.raises(Refused, match="runs that long"):
        extend_attempt(attempt=attempt, until=later(5))
    assert refresh(attempt).deadline > later(20)
    Attempt.objects.update(deadline=None)
    with pytest.raises(Refused, match="no time limit"):
        extend_attempt(attempt=attempt, until=later())
    submit_attempt(attempt=attempt)
    with pytest.raises(NotOpen):
        extend_attempt(attempt=attempt, until=later())


@pytest.mark.parametrize("opened_again", [False, True])
def test_an_explicit_end_outlives_changes_of_extra_time(quiz, student, opened_again):
    handed_in, until = start_attempt(student=student, quiz=quiz), later(60)
    if opened_again:
        submit_attempt(attempt=handed_in)
        Attempt.objects.update(started_at=timezone.now() - timedelta(days=3))
        reopen_attempt(attempt=handed_in, until=until)
    else:
        extend_attempt(attempt=handed_in, until=until)
    granted = ExtraTime(student=student, minutes=5)
    grant_extra_time(granted=granted)
    assert Attempt.objects.get().deadline == until
    withdraw_extra_time(granted=granted)
    assert Attempt.objects.get().deadline == until


def test_new_terms_leave_the_end_of_what_is_reopened(handed_in, student):
    until = reopen(handed_in).deadline
    untimed = EffectiveSettings(handed_in.sitting, None, None, minutes=None, attempts_allowed=None)
    change_settings(sitting=handed_in.sitting, settings={student.pk: untimed})
    assert Attempt.objects.get().deadline == until


# Several at once


@pytest.mark.parametrize("resubmitted", [False, True])
def test_who_marks_an_earlier_time_gives_the_attempt_nothing(quiz, student, resubmitted):
    handed_in = start_attempt(student=student, quiz=quiz)
    answer_everything(handed_in)
    first = submit_attempt(attempt=handed_in)
    mark = services._mark

    def meanwhile(submissions):
        marks = mark(submissions)
        if first.pk in submissions:
            answer_again(reopen(handed_in), wrong_fields)
            if resubmitted:
                submit_attempt(attempt=handed_in)
        return marks

    with mock.patch.object(services, "_mark", meanwhile):
        assert grade_waiting() is False
    assert refresh(handed_in).score == (0 if resubmitted else None)
    assert refresh(first).state == "graded"
    assert sum(Grade.objects.filter(answer__submission=first).values_list("points", flat=True)) == 6


@pytest.mark.service
@pytest.mark.django_db(transaction=True)
def test_reopening_submitting_and_marking_at_once_end_in_one_state(quiz, student):
    handed_in = start_attempt(student=student, quiz=quiz)
    answer_everything(handed_in)
    submit_attempt(attempt=handed_in)
    together = Barrier(6)

    def act(n):
        together.wait()
        for _round in range(4):
            if n < 2:
                with suppress(Refused):
                    reopen(handed_in)
            elif n < 4:
                submit_attempt(attempt=handed_in)
            else:
                grade_waiting(seconds=5)

    with Threads(6) as pool:
        list(pool.map(act, range(6)))
    submit_attempt(attempt=handed_in)
    Submission.objects.filter(state="waiting").update(claimed_until=None)
    grade_waiting(seconds=20)
    handed_in.refresh_from_db()
    numbers = list(Submission.objects.order_by("number").values_list("number", flat=True))
    assert numbers == list(range(1, handed_in.reopened + 2))
    assert set(Submission.objects.values_list("state", flat=True)) == {"graded"}
    assert handed_in.score == 6
    assert Grade.objects.count() == 6 * len(numbers)


# Migrations


@pytest.mark.django_db(transaction=True)
def test_migrating_back_keeps_what_was_handed_in_last(quiz, right_again, other_student, migrate):
    open_again = start_attempt(student=other_student, quiz=quiz)
    submit_attempt(attempt=open_again)
    reopen(open_again)
    earlier = migrate([("quizzes", "0020_reports")])
    kept = earlier.get_model("quizzes", "Submission").objects.values_list("attempt", "number")
    assert list(kept) == [(right_again.pk, 1)]
    scores = earlier.get_model("quizzes", "Attempt").objects.values_list("pk", "score", "state")
    assert set(scores) == {(right_again.pk, 6, "submitted"), (open_again.pk, None, "open")}
    migrate()
    assert last_submission(right_again).number == 1
    assert submit_attempt(attempt=open_again).number == 1


@pytest.mark.service
def test_results_of_others_wait_for_one_that_is_reopened_after_the_close(quiz, handed_in):
    quiz.own_sitting.release = Sitting.Release.AFTER_CLOSE
    quiz.own_sitting.closes_at = timezone.now() - timedelta(minutes=1)
    quiz.own_sitting.save()
    assert quiz.own_sitting.shows_results(timezone.now())
    reopen(handed_in)
    assert not quiz.own_sitting.shows_results(timezone.now())
