"""Every family can be shown, answered, marked and reviewed."""

import pytest
from django.urls import reverse

from quizzes import problems
from quizzes.delivery.services.taking import submit_attempt
from quizzes.marking.services import grade_waiting
from quizzes.models import Answer, Attempt, Grade, Item, Quiz, Submission, Variant
from tests.quizzes.answering import answer_everything, right_fields
from tests.quizzes.showing import wording_for

FAMILIES = [key for key, _ in problems.family_choices()]


@pytest.fixture
def attempt(student):
    """One attempt with an item of each family."""
    quiz = Quiz.objects.create(slug="all", title="All families")
    at = {"quiz": quiz, "sitting": quiz.own_sitting}
    attempt = Attempt.objects.create(student=student, **at, out_of=len(FAMILIES))
    for position, family in enumerate(FAMILIES, start=1):
        variant = Variant.objects.create(
            **problems.draw_variant(problems.kind_of(family, {}), "every family")
        )
        Item.objects.create(
            attempt=attempt,
            position=position,
            place=position,
            variant=variant,
            wording_id=wording_for(variant),
        )
    return attempt


def test_every_family_is_asked_answered_right_and_reviewed(attempt, client, student):
    client.force_login(student)
    page = client.get(reverse("quizzes:attempt", args=[attempt.pk])).content.decode()
    for position, family in enumerate(FAMILIES, start=1):
        assert f'data-item="{position}" data-kind="numeric" data-family="{family}"' in page
    for item in attempt.items.all():
        for field in right_fields(item):
            assert f'name="item-{item.position}-{field}"' in page

    answer_everything(attempt)
    submit_attempt(attempt=attempt)
    grade_waiting()
    wrong = Grade.objects.exclude(verdict="right")
    assert [(grade.answer.item.shown["family"], grade.steps) for grade in wrong] == []
    assert Submission.objects.get().state == "graded"
    assert Answer.objects.count() == len(FAMILIES)

    attempt.refresh_from_db()
    assert attempt.score == len(FAMILIES)
    results = client.get(reverse("quizzes:results", args=[attempt.pk])).content.decode()
    assert results.count("Worked solution") == len(FAMILIES)
    assert "<merror" not in results
