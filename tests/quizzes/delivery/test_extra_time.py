"""Extra time: for a student or for one attempt, also while it runs."""

from datetime import timedelta

import pytest
from django.utils import timezone

from quizzes.delivery.services.deadlines import grant_extra_time, withdraw_extra_time
from quizzes.delivery.services.taking import start_attempt
from quizzes.models import Attempt, ExtraTime, Sitting
from tests.each import each
from tests.world import duration_in_minutes, refresh


def test_a_students_extra_time_counts_from_the_start_and_for_nobody_else(
    quiz, student, other_student
):
    ExtraTime.objects.create(student=student, factor="1.5", minutes=2)
    assert duration_in_minutes(start_attempt(student=student, quiz=quiz)) == 23 * 1.5 + 2
    assert duration_in_minutes(start_attempt(student=other_student, quiz=quiz)) == 23


def grant(student, **more) -> ExtraTime:
    granted = ExtraTime(student=student, **more)
    grant_extra_time(granted=granted)
    return granted


@pytest.mark.service
def test_it_takes_effect_in_the_middle_of_an_attempt_until_it_is_taken_back(student, attempt):
    granted = ExtraTime(student=student, minutes=5)
    assert grant_extra_time(granted=granted) == 1
    assert duration_in_minutes(attempt) == 28
    assert withdraw_extra_time(granted=granted) == 1
    assert duration_in_minutes(attempt) == 23


@pytest.mark.service
def test_extra_time_of_an_attempt_replaces_the_students(quiz, student):
    grant(student, minutes=5)
    attempt = start_attempt(student=student, quiz=quiz)
    grant(student, attempt=attempt, minutes=7)
    assert duration_in_minutes(attempt) == 30


def test_what_is_given_to_an_attempt_never_takes_from_what_it_had(quiz, student):
    grant(student, minutes=5)
    attempt = start_attempt(student=student, quiz=quiz)
    own = grant(student, attempt=attempt, minutes=1)
    assert duration_in_minutes(attempt) == 28
    withdraw_extra_time(granted=own)
    assert duration_in_minutes(attempt) == 28


def test_less_extra_time_counts_from_the_next_attempt_on(quiz, student):
    granted = grant(student, minutes=5)
    attempt = start_attempt(student=student, quiz=quiz)
    granted.minutes = 2
    assert grant_extra_time(granted=granted) == 0
    assert duration_in_minutes(attempt) == 28
    Attempt.objects.update(state="submitted")
    assert duration_in_minutes(start_attempt(student=student, quiz=quiz)) == 25


@each("minutes, closes_in", [(5, None), (60, None), (23, 1)])
def test_a_quiz_that_is_changed_leaves_an_attempt_the_time_it_began_with(
    student, minutes, closes_in, attempt
):
    closes_at = closes_in and attempt.started_at + timedelta(minutes=closes_in)
    Sitting.objects.update(minutes=minutes, closes_at=closes_at)
    granted = grant(student, factor="1.5", minutes=10)
    assert duration_in_minutes(attempt) == 23 * 1.5 + 10
    withdraw_extra_time(granted=granted)
    assert duration_in_minutes(attempt) == 23


@pytest.mark.service
def test_what_is_taken_back_from_an_attempt_leaves_what_the_student_has(student, attempt):
    own = grant(student, attempt=attempt, minutes=10)
    grant(student, minutes=5)
    withdraw_extra_time(granted=own)
    assert duration_in_minutes(attempt) == 28


def test_a_quiz_that_closes_does_not_cut_extra_time_short(quiz, student):
    quiz.own_sitting.closes_at = timezone.now() + timedelta(minutes=10)
    ExtraTime.objects.create(student=student, minutes=5)
    attempt = start_attempt(student=student, quiz=quiz)
    assert attempt.deadline == quiz.own_sitting.closes_at + timedelta(minutes=5)


def test_a_factor_counts_all_minutes_of_a_quiz_whose_closing_cuts_an_attempt_short(quiz, student):
    quiz.own_sitting.closes_at = timezone.now() + timedelta(minutes=10)
    attempt = start_attempt(student=student, quiz=quiz)
    grant(student, factor="2")
    assert refresh(attempt).deadline == quiz.own_sitting.closes_at + timedelta(minutes=23)


def test_an_attempt_that_is_over_stays_over(student, attempt):
    attempt.state = attempt.State.SUBMITTED
    attempt.save()
    assert grant_extra_time(granted=ExtraTime(student=student, minutes=5)) == 0
