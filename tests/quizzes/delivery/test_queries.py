"""Queries of pages, in the order in which pages show the rows."""

from datetime import timedelta

import pytest
from django.utils import timezone

from lessons.authoring.services import import_lesson
from lessons.models import Lesson
from quizzes.delivery.queries.attempts import BEST, chosen_attempts
from quizzes.delivery.queries.secrecy import VisibleMarks
from quizzes.delivery.services.taking import start_attempt
from quizzes.items.queries import section_by_topic, topics_by_section
from quizzes.marking.queries import earlier_mistakes
from quizzes.marking.services import grade_waiting
from quizzes.models import Attempt, ConceptQuestion, Grade, Topic
from quizzes.practice.queries.practice import (
    check_verdict,
    last_check,
    latest_checks,
    position_to_continue,
)
from quizzes.practice.services import check_item, practise_quiz
from tests.lessons.conftest import SMALL
from tests.world import save_answer, submit_and_mark, wrong_fields

pytestmark = pytest.mark.service


def test_the_best_attempt_is_that_with_the_largest_share_of_its_points(quiz, student):
    scores = [(12, 12), (14, 15), (4, 4.5), (0, 15), (0, 0)]
    at = {"student": student, "quiz": quiz, "sitting": quiz.own_sitting, "state": "submitted"}
    for number, (score, out_of) in enumerate(scores, start=1):
        started_at = timezone.now() + timedelta(minutes=number)
        more = {"number": number, "started_at": started_at, "score": score, "out_of": out_of}
        Attempt.objects.create(**at, **more)
    found = chosen_attempts(student, VisibleMarks(timezone.now()), order=BEST)
    assert [attempt.number for attempt in found] == [1, 2, 3, 4, 5]


@pytest.mark.parametrize(("late", "state"), [(-1, "open"), (9, "open"), (11, "waiting")])
def test_an_attempt_is_listed_as_open_until_its_grace_is_over(quiz, student, late, state):
    now = timezone.now()
    attempt = start_attempt(student=student, quiz=quiz)
    Attempt.objects.update(deadline=now - timedelta(seconds=late))
    for each in ("open", "waiting", "graded", "received"):
        found = chosen_attempts(student, VisibleMarks(now), state=each)
        assert list(found) == ([attempt] if each == state else [])


def test_a_topic_is_at_home_in_the_first_published_section_that_answers_it(db):
    def ask(key, section=None, topic="masks", published=True):
        ConceptQuestion.objects.create(
            key=key, topic=topic, prompt="?", section=section, published=published
        )

    late, early, draft = (
        import_lesson(
            text=SMALL.replace("order: 7", f"order: {order}").replace("g: small", f"g: {slug}")
        )
        for slug, order in (("late", 3), ("early", 2), ("draft", 1))
    )
    Lesson.objects.filter(pk=draft.pk).update(published=False)
    second, first = early.sections.get(slug="second-thoughts"), early.sections.get(slug="one")
    in_late, in_draft = (lesson.sections.get(slug="one") for lesson in (late, draft))
    for key, section in (("a", in_late), ("b", second), ("c", first), ("d", in_draft), ("e", None)):
        ask(key, section)
    ask("f", topic="homeless")
    ask("g", topic="hidden", published=False)
    assert section_by_topic() == {"masks": first, "homeless": None}


def test_mistakes_made_before_have_their_attempts(quiz, student, other_student):
    def take(who, position=5):
        """Choose wrongly at this position. Return the attempt and the mistake's key."""
        attempt = start_attempt(student=who, quiz=quiz)
        item = attempt.items.get(position=position)
        save_answer(item, wrong_fields(item))
        submit_and_mark(attempt)
        grade = Grade.objects.get(answer__item=item)
        return attempt, f"{item.shown['key']}:{grade.mistake}"

    take(other_student)
    practice = practise_quiz(student=student, quiz=quiz)
    save_answer(practice.items.get(position=6), wrong_fields(practice.items.get(position=6)))
    check_item(attempt=practice, position=6)
    (first, one), (second, other) = take(student), take(student, position=6)
    third = start_attempt(student=student, quiz=quiz)
    assert earlier_mistakes(first) == {}
    assert earlier_mistakes(second) == {one: [1]}
    assert earlier_mistakes(third) == {one: [1], other: [2]}
    regraded = Grade.objects.get(answer__item__attempt=first, mistake__gt="")
    regraded.pk, regraded.revision, regraded.mistake = None, 2, ""
    regraded.steps = [{"mistake": ""}]
    regraded.save()
    assert earlier_mistakes(third) == {other: [2]}


def test_a_section_teaches_each_topic_once_in_their_order(db):
    one, two = import_lesson(text=SMALL).sections.order_by("order")
    asked = [("a", "values", one), ("b", "keys", one), ("c", "values", one), ("d", "masks", two)]
    for key, topic, section in asked:
        ConceptQuestion.objects.create(
            key=key, topic=topic, prompt="?", section=section, published=key != "d"
        )
    Topic.objects.create(key="keys", title="Queries and keys")
    taught = topics_by_section([one, two])
    assert list(taught[one.pk].items()) == [("keys", "Queries and keys"), ("values", "")]
    assert taught[two.pk] == {}


def test_a_regrade_of_a_check_counts_in_place_of_what_it_replaces(quiz, student):
    practice = practise_quiz(student=student, quiz=quiz)
    assert position_to_continue(practice) == 1
    item = practice.items.get(position=1)
    save_answer(item, wrong_fields(item))
    check_item(attempt=practice, position=1)
    assert check_verdict(last_check(practice, 1)) == ""
    grade_waiting()
    assert check_verdict(last_check(practice, 1)) == "wrong"
    assert position_to_continue(practice) == 1
    regraded = Grade.objects.get()
    regraded.pk, regraded.revision, regraded.verdict = None, 2, "right"
    regraded.save()
    assert check_verdict(latest_checks(practice)[item.pk]) == "right"
    assert position_to_continue(practice) == 2
