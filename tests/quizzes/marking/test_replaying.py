"""The command that compares every score with the sum of its grades."""

import pytest
from django.core.management import CommandError, call_command

from quizzes.models import Attempt, Grade
from tests.world import take_quiz

pytestmark = pytest.mark.django_db


def replay(capsys):
    """Return what the command says, and what it says of attempts that differ."""
    try:
        call_command("replay_grades")
    except CommandError as wrong:
        return str(wrong), capsys.readouterr().err
    return capsys.readouterr()


def test_marked_attempts_are_proved_and_those_without_questions_have_nothing_to_prove(
    capsys, marked_attempt, other_student, quiz
):
    empty = {"quiz": quiz, "sitting": quiz.own_sitting, "number": 1, "out_of": 0, "score": 0}
    Attempt.objects.create(student=other_student, state="submitted", **empty)
    said, differ = replay(capsys)
    assert (said, differ) == ("Attempts checked: 1. Each score is the sum of its grades.\n", "")


def test_a_score_that_is_not_the_sum_is_named(capsys, marked_attempt):
    Attempt.objects.filter(pk=marked_attempt.pk).update(score=5)
    said, differ = replay(capsys)
    assert said == "Attempts whose score differs from their grades: 1 of 1."
    assert (
        f"attempt {marked_attempt.pk}: its grades come to 6.0 of 6.0, its score is 5.0 of 6.0"
        in differ
    )


def test_a_score_without_grades_and_grades_without_a_score_are_named(
    capsys, marked_attempt, other_student, quiz
):
    other = take_quiz(other_student, quiz)
    Grade.objects.filter(answer__submission__attempt=marked_attempt).delete()
    Attempt.objects.filter(pk=other.pk).update(score=None)
    said, differ = replay(capsys)
    assert said == "Attempts whose score differs from their grades: 2 of 2."
    assert f"attempt {marked_attempt.pk}: it has a score, and no grades that count" in differ
    assert f"attempt {other.pk}: it has grades that count, and no score" in differ
