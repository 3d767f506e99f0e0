"""What pages read, in the order in which they show it."""

from datetime import timedelta

import pytest
from django.utils import timezone

from lessons.authoring.services import import_lesson
from quizzes import queries
from quizzes.models import Attempt, Quiz
from tests.lessons.conftest import SMALL

pytestmark = pytest.mark.service


def asking(lesson, title):
    """A published quiz of this lesson that asks for the softmax."""
    quiz = Quiz.objects.create(lesson=lesson, slug=title.lower(), title=title, published=True)
    quiz.slots.create(position=1, family="softmax_row")
    return quiz


def test_of_the_quizzes_that_ask_for_a_section_its_own_lessons_comes_first(db):
    text = SMALL.replace("---\n\n## First", "families:\n  softmax_row: one\n---\n\n## First")
    own = import_lesson(text=text)
    other = import_lesson(text=SMALL.replace("slug: small", "slug: other"))
    asked = [asking(other, "Attention"), asking(own, "Zeros"), asking(own, "Ones")]
    section = own.sections.get(slug="one")
    found = queries.quizzes_asking([section], {section.pk: []})[section.pk]
    assert found == [asked[2], asked[1], asked[0]]


def test_the_best_attempt_is_that_with_the_largest_share_of_its_points(quiz, student):
    scores = [(12, 12), (14, 15), (4, 4.5), (0, 15), (0, 0)]
    for number, (score, out_of) in enumerate(scores, start=1):
        Attempt.objects.create(
            student=student,
            quiz=quiz,
            number=number,
            state="submitted",
            started_at=timezone.now() + timedelta(minutes=number),
            score=score,
            out_of=out_of,
        )
    best = queries.AttemptChoice(order=queries.BEST)
    found = queries.chosen_attempts(student, best, timezone.now())
    assert [attempt.number for attempt in found] == [1, 2, 3, 4, 5]
