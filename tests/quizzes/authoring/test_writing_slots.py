"""Writing a quiz's slots, exactly as given, and copying a quiz as one of its own."""

from datetime import timedelta

import pytest
from django.utils import timezone

from quizzes.authoring.services.duplicating import duplicate_quiz
from quizzes.authoring.services.slots import write_slots
from quizzes.delivery.services.taking import start_attempt
from quizzes.models import Attempt, Quiz, Sitting, Slot

pytestmark = pytest.mark.django_db


def slots_asked(quiz):
    return [
        (slot.position, slot.family or slot.topic, slot.options, slot.points)
        for slot in quiz.slots.order_by("position")
    ]


def test_what_is_not_wanted_goes_and_what_is_new_comes_in_its_place(quiz):
    first, second, *_rest = quiz.slots.order_by("position")
    new = Slot(family="rms_norm", points=2)
    write_slots(quiz=quiz, wanted=[second, new, first])
    second_and_first = [(1, "score_matrix", {"width": 2}, 1), (3, "cosine", {"width": 2}, 1)]
    assert sorted(slots_asked(quiz)) == sorted([*second_and_first, (2, "rms_norm", {}, 2)])
    assert set(quiz.slots.all()) == {first, second, new}
    write_slots(quiz=quiz, wanted=[])
    assert not quiz.slots.exists()


def test_the_slots_of_another_quiz_stay(quiz):
    other = Quiz.objects.create(slug="other", title="Other")
    write_slots(quiz=other, wanted=[Slot(topic="keys")])
    assert (quiz.slots.count(), other.slots.count()) == (6, 1)


@pytest.fixture
def copier(django_user_model):
    """The user who copies."""
    return django_user_model.objects.create_user("ines@example.org", "secret", is_staff=True)


def test_a_copy_asks_the_same_under_the_same_rules_as_a_draft(quiz, copier):
    Sitting.objects.filter(quiz=quiz).update(minutes=40, attempts_allowed=2, practice=False)
    copy = duplicate_quiz(quiz=Quiz.objects.get(pk=quiz.pk), by=copier)
    assert (copy.slug, copy.title, copy.published) == ("foundations-2", "Foundations", False)
    assert slots_asked(copy) == slots_asked(quiz)
    assert list(Quiz.objects.owned_by(copier)) == [copy]
    own = Quiz.objects.get(pk=copy.pk).own_sitting
    assert (own.minutes, own.attempts_allowed, own.practice) == (40, 2, False)


def test_a_copy_has_no_moments_and_no_attempts(quiz, student, copier):
    start_attempt(student=student, quiz=quiz)
    soon = timezone.now() + timedelta(days=1)
    moments = {"opens_at": soon, "closes_at": soon + timedelta(days=1), "released": True}
    Sitting.objects.filter(quiz=quiz).update(**moments)
    copy = duplicate_quiz(quiz=Quiz.objects.get(pk=quiz.pk), by=copier)
    own = Quiz.objects.get(pk=copy.pk).own_sitting
    assert (own.opens_at, own.closes_at, own.released) == (None, None, False)
    assert not Attempt.objects.filter(quiz=copy).exists()


def test_each_copy_has_a_slug_of_its_own_and_one_of_a_copy_takes_the_next_number(quiz, copier):
    copy = duplicate_quiz(quiz=duplicate_quiz(quiz=quiz, by=copier), by=copier)
    assert copy.slug == "foundations-3"
    Quiz.objects.filter(pk=quiz.pk).update(slug="a" * 50)
    again = Quiz.objects.get(pk=quiz.pk)
    slugs = [duplicate_quiz(quiz=again, by=copier).slug for _ in range(9)]
    assert slugs == [f"{'a' * 46}-{number}" for number in range(2, 11)]
