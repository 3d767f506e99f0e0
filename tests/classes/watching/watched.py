"""A quiz that is given to a class whose students are in all states."""

from datetime import timedelta

from django.utils import timezone

from classes.models import Assignment
from quizzes.delivery.effective_settings import own_terms
from quizzes.delivery.services.taking import start_attempt, submit_attempt
from quizzes.marking.services import grade_waiting
from quizzes.models import GRACE, Attempt, Sitting, Submission
from tests.quizzes.answering import answer_everything, wrong_fields

REASON = "The fire alarm rang"


def give(course, quiz, **rules) -> Assignment:
    sitting = Sitting.objects.create(
        quiz=quiz, given_in=course.title, open_to_all=False, attempts_allowed=None, **rules
    )
    return Assignment.objects.create(course=course, sitting=sitting)


def begin(assignment, user) -> Attempt:
    sitting = assignment.sitting
    return start_attempt(student=user, quiz=sitting.quiz, terms=own_terms(sitting))


def mark(attempt) -> Attempt:
    submit_attempt(attempt=attempt)
    grade_waiting()
    attempt.refresh_from_db()
    return attempt


def set_aside(attempt) -> Attempt:
    """It could not be marked."""
    submit_attempt(attempt=attempt)
    Submission.objects.filter(attempt=attempt).update(state="attention")
    return attempt


def let_time_run_out(attempt, seconds=1) -> None:
    past = timezone.now() - GRACE - timedelta(seconds=seconds)
    Attempt.objects.filter(pk=attempt.pk).update(deadline=past)


def in_every_state(assignment, member) -> dict[str, Attempt | None]:
    """Students by name, and what each has."""
    people = {name: member(name).user for name in ("Ada", "Bob", "Cyd", "Dan", "Eve")}
    made = {name: begin(assignment, people[name]) for name in ("Ada", "Cyd", "Dan", "Bob")}
    answer_everything(made["Cyd"], wrong_fields)
    mark(made["Cyd"])
    set_aside(made["Dan"])
    submit_attempt(attempt=made["Bob"])
    return made | {"Eve": None}
