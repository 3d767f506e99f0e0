"""Extra time: for a student or for one attempt, also while it runs."""

from datetime import timedelta

import pytest
from django.utils import timezone

from quizzes.delivery.services.deadlines import grant_extra_time, withdraw_extra_time
from quizzes.delivery.services.taking import start_attempt
from quizzes.models import Attempt, ExtraTime, Sitting
from tests.world import fresh


def lasts(attempt) -> timedelta:
    attempt.refresh_from_db()
    return attempt.deadline - attempt.started_at


def test_a_students_extra_time_counts_from_the_start(quiz, student):
    ExtraTime.objects.create(student=student, factor="1.5", minutes=2)
    assert lasts(start_attempt(student=student, quiz=quiz)) == timedelta(minutes=23 * 1.5 + 2)


def test_another_students_extra_time_counts_for_nobody_else(quiz, student, other_student):
    ExtraTime.objects.create(student=other_student, minutes=10)
    assert lasts(start_attempt(student=student, quiz=quiz)) == timedelta(minutes=23)


def grant(student, **given) -> ExtraTime:
    granted = ExtraTime(student=student, **given)
    grant_extra_time(granted=granted)
    return granted


@pytest.mark.service
def test_it_takes_effect_in_the_middle_of_an_attempt(student, attempt):
    assert grant_extra_time(granted=ExtraTime(student=student, minutes=5)) == 1
    assert lasts(attempt) == timedelta(minutes=28)


@pytest.mark.service
def test_extra_time_of_an_attempt_replaces_the_students(quiz, student):
    grant(student, minutes=5)
    attempt = start_attempt(student=student, quiz=quiz)
    grant(student, attempt=attempt, minutes=7)
    assert lasts(attempt) == timedelta(minutes=30)


def test_what_is_given_to_an_attempt_never_takes_from_what_it_had(quiz, student):
    grant(student, minutes=5)
    attempt = start_attempt(student=student, quiz=quiz)
    own = grant(student, attempt=attempt, minutes=1)
    assert lasts(attempt) == timedelta(minutes=28)
    withdraw_extra_time(granted=own)
    assert lasts(attempt) == timedelta(minutes=28)


def test_less_extra_time_counts_from_the_next_attempt_on(quiz, student):
    granted = grant(student, minutes=5)
    attempt = start_attempt(student=student, quiz=quiz)
    granted.minutes = 2
    assert grant_extra_time(granted=granted) == 0
    assert lasts(attempt) == timedelta(minutes=28)
    Attempt.objects.update(state="submitted")
    assert lasts(start_attempt(student=student, quiz=quiz)) == timedelta(minutes=25)


@pytest.mark.parametrize("minutes", [5, 60])
def test_a_quiz_that_is_changed_leaves_an_attempt_the_time_it_began_with(student, minutes, attempt):
    Sitting.objects.update(minutes=minutes)
    granted = grant(student, factor="1.5", minutes=10)
    assert lasts(attempt) == timedelta(minutes=23 * 1.5 + 10)
    withdraw_extra_time(granted=granted)
    assert lasts(attempt) == timedelta(minutes=23)


def test_a_quiz_that_closes_earlier_now_leaves_an_attempt_the_time_it_began_with(student, attempt):
    Sitting.objects.update(closes_at=attempt.started_at + timedelta(minutes=1))
    grant(student, minutes=10)
    assert lasts(attempt) == timedelta(minutes=33)


def test_what_is_taken_back_no_longer_counts(quiz, student):
    granted = grant(student, minutes=5)
    attempt = start_attempt(student=student, quiz=quiz)
    assert withdraw_extra_time(granted=granted) == 1
    assert lasts(attempt) == timedelta(minutes=23)


@pytest.mark.service
def test_what_is_taken_back_from_an_attempt_leaves_what_the_student_has(student, attempt):
    own = grant(student, attempt=attempt, minutes=10)
    grant(student, minutes=5)
    withdraw_extra_time(granted=own)
    assert lasts(attempt) == timedelta(minutes=28)


def test_a_quiz_that_closes_does_not_cut_extra_time_short(quiz, student):
    quiz.own_sitting.closes_at = timezone.now() + timedelta(minutes=10)
    ExtraTime.objects.create(student=student, minutes=5)
    attempt = start_attempt(student=student, quiz=quiz)
    assert attempt.deadline == quiz.own_sitting.closes_at + timedelta(minutes=5)


def test_a_factor_counts_all_minutes_of_a_quiz_whose_closing_cuts_an_attempt_short(quiz, student):
    quiz.own_sitting.closes_at = timezone.now() + timedelta(minutes=10)
    attempt = start_attempt(student=student, quiz=quiz)
    grant(student, factor="2")
    assert fresh(attempt).deadline == quiz.own_sitting.closes_at + timedelta(minutes=23)


def test_an_attempt_that_is_over_stays_over(student, attempt):
    attempt.state = attempt.State.SUBMITTED
    attempt.save()
    assert grant_extra_time(granted=ExtraTime(student=student, minutes=5)) == 0
