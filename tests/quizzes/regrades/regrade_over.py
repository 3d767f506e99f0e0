"""Regrades, and checks of the grades that they change."""

from django.contrib.auth import get_user_model
from django.core.management import call_command

from quizzes.models import Answer, Attempt, Ruling
from quizzes.regrades.services import (
    accept_regrade,
    apply_waiting_regrades,
    draft_regrade,
    draft_undo,
)

Kind, Scope = Ruling.Kind, Ruling.Scope


def make_student(number):
    return get_user_model().objects.create_user(f"s{number}@example.org", name=f"Student {number}")


def regrade_over(quiz, kind, **more):
    more.setdefault("sitting", quiz.own_sitting)
    return Ruling(quiz=quiz, kind=kind, reason=more.pop("reason", "The key was wrong."), **more)


def drafted(quiz, kind, **more):
    """Return a regrade that is not accepted yet, with its dry run."""
    return draft_regrade(regrade=regrade_over(quiz, kind, **more))


def apply_all():
    """Apply all accepted regrades, as workers do."""
    while apply_waiting_regrades():
        pass


def rule(quiz, kind, **more):
    """Draft, accept and apply a regrade. Return it as stored."""
    by = more.pop("by", None)
    draft = drafted(quiz, kind, **more)
    accept_regrade(regrade=draft, by=by)
    apply_all()
    return Ruling.objects.get(pk=draft.pk)


def undo(regrade):
    """Undo a regrade, and apply that."""
    accept_regrade(regrade=draft_undo(regrade=regrade, by=None, reason="It was right."), by=None)
    apply_all()


def score(attempt):
    found = Attempt.objects.get(pk=attempt.pk)
    return found.score, found.out_of


def latest(attempt, position):
    """Return the latest grade of the last submission at a position."""
    found = Attempt.objects.get(pk=attempt.pk)
    answer = Answer.objects.get(
        item__attempt=found, item__position=position, submission__number=found.reopened + 1
    )
    return answer.grades.order_by("revision").last()


def prove():
    """Check that every score is the sum of its grades."""
    call_command("replay_grades", verbosity=0)
