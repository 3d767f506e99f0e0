"""Extra time: for a student or for one attempt, also while it runs."""

from datetime import timedelta

import pytest
from django.utils import timezone

from quizzes.models import ExtraTime
from quizzes.services.taking import start_attempt
from quizzes.services.timing import apply_extra_time

pytestmark = pytest.mark.service


def lasts(attempt) -> timedelta:
    attempt.refresh_from_db()
    return attempt.deadline - attempt.started_at


def test_a_students_extra_time_counts_from_the_start(quiz, student):
    ExtraTime.objects.create(student=student, factor="1.5", minutes=2)
    assert lasts(start_attempt(student=student, quiz=quiz)) == timedelta(minutes=23 * 1.5 + 2)


def test_another_students_extra_time_counts_for_nobody_else(quiz, student, other_student):
    ExtraTime.objects.create(student=other_student, minutes=10)
    assert lasts(start_attempt(student=student, quiz=quiz)) == timedelta(minutes=23)


def test_it_takes_effect_in_the_middle_of_an_attempt(quiz, student):
    attempt = start_attempt(student=student, quiz=quiz)
    ExtraTime.objects.create(student=student, minutes=5)
    assert apply_extra_time(student=student) == 1
    assert lasts(attempt) == timedelta(minutes=28)


def test_what_is_said_of_an_attempt_counts_in_place_of_the_students(quiz, student):
    ExtraTime.objects.create(student=student, minutes=5)
    attempt = start_attempt(student=student, quiz=quiz)
    ExtraTime.objects.create(student=student, attempt=attempt, minutes=1)
    apply_extra_time(student=student)
    assert lasts(attempt) == timedelta(minutes=24)


def test_what_is_taken_back_no_longer_counts(quiz, student):
    granted = ExtraTime.objects.create(student=student, minutes=5)
    attempt = start_attempt(student=student, quiz=quiz)
    granted.delete()
    apply_extra_time(student=student)
    assert lasts(attempt) == timedelta(minutes=23)


def test_a_quiz_that_closes_does_not_cut_extra_time_short(quiz, student):
    quiz.closes_at = timezone.now() + timedelta(minutes=10)
    ExtraTime.objects.create(student=student, minutes=5)
    attempt = start_attempt(student=student, quiz=quiz)
    assert attempt.deadline == quiz.closes_at + timedelta(minutes=5)


def test_an_attempt_that_is_over_stays_over(quiz, student):
    attempt = start_attempt(student=student, quiz=quiz)
    attempt.state = attempt.State.SUBMITTED
    attempt.save()
    ExtraTime.objects.create(student=student, minutes=5)
    assert apply_extra_time(student=student) == 0
