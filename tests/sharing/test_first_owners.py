"""Owners that the upgrade gives to rows from before there were owners."""

from importlib import import_module

import pytest
from django.apps import apps
from django.contrib.admin.models import ADDITION, CHANGE, LogEntry

from lessons.models import Lesson
from quizzes.models import ConceptQuestion, Quiz
from sharing.first_owners import Writers, shares_to_begin_with
from sharing.models import shares_of
from tests.world import make_instructor_user

NOW = {1, 2, 3}  # those who are still instructors; 9 no longer is


@pytest.mark.parametrize(
    ("added", "changed", "shipped", "shares"),
    [
        ([], [], True, []),
        ([], [], False, [(None, "edit")]),
        ([1], [], False, [(None, "read"), (1, "own")]),
        ([1], [2, 1, 3, 2], False, [(None, "read"), (1, "own"), (2, "edit"), (3, "edit")]),
        ([9], [2, 3], False, [(None, "read"), (2, "own"), (3, "edit")]),
        ([], [2], True, [(None, "read"), (2, "own")]),
        ([9], [], False, [(None, "edit")]),
        ([], [9], True, [(None, "edit")]),
    ],
)
def test_the_owner_is_who_added_it_or_first_changed_it(added, changed, shipped, shares):
    assert list(shares_to_begin_with(NOW, Writers(added, changed), shipped=shipped)) == shares


@pytest.mark.django_db
def test_the_log_and_the_history_say_who_wrote_lessons_quizzes_and_versions_of_questions():
    ana, ben, cleo = (make_instructor_user(name) for name in ("Ana", "Ben", "Cleo"))
    lesson = Lesson.objects.create(slug="one", title="One")
    lesson.history.update(history_user=cleo)
    quiz = Quiz.objects.create(lesson=lesson, slug="one", title="One")
    shipped = Quiz.objects.create(lesson=lesson, slug="two", title="Two", source_hash="a" * 64)
    first = ConceptQuestion.objects.create(
        key="q", topic="t", version=1, prompt="?", replaced_at="2026-01-01T00:00Z"
    )
    second = ConceptQuestion.objects.create(key="q", topic="t", version=2, prompt="?")

    def log(person, row, flag):
        LogEntry.objects.log_actions(person.pk, [row], flag, single_object=True)

    log(ana, quiz, ADDITION)
    log(ben, quiz, CHANGE)
    log(ben, first, ADDITION)
    log(ana, second, CHANGE)
    for app, name in (("lessons", "0007_shares"), ("quizzes", "0036_shares")):
        import_module(f"{app}.migrations.{name}").give_owners(apps, None)

    def shares(row):
        return set(shares_of(row).values_list("user", "access"))

    assert shares(lesson) == {(None, "read"), (cleo.pk, "own")}
    assert shares(quiz) == {(None, "read"), (ana.pk, "own"), (ben.pk, "edit")}
    assert shares(second) == {(None, "read"), (ben.pk, "own"), (ana.pk, "edit")}
    assert shares(shipped) == set()
