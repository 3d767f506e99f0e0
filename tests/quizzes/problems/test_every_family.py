"""Every family can be shown, answered, marked and reviewed."""

import re

import pytest
from django.urls import reverse

from quizzes import problems
from quizzes.models import Answer, Attempt, Grade, Item, Quiz, Submission, Variant
from tests.world import (
    answer_everything,
    html_in_one_line,
    refresh,
    right_fields,
    submit_and_mark,
    wording_for,
)

FAMILIES = [key for key, _ in problems.family_choices()]


@pytest.fixture
def of_every_family(student):
    """An attempt with an item of each family."""
    quiz = Quiz.objects.create(slug="all", title="All families")
    at = {"quiz": quiz, "sitting": quiz.own_sitting}
    of_every_family = Attempt.objects.create(student=student, **at, out_of=len(FAMILIES))
    for position, family in enumerate(FAMILIES, start=1):
        drawn = problems.draw_variant(problems.kind_of(family, {}), "every family")
        variant = Variant.objects.create(**drawn)
        shown = {"position": position, "place": position, "wording_id": wording_for(variant)}
        Item.objects.create(attempt=of_every_family, variant=variant, **shown)
    return of_every_family


def test_every_family_is_asked_answered_right_and_reviewed(of_every_family, client, as_student):
    page = html_in_one_line(client.get(reverse("quizzes:attempt", args=[of_every_family.pk])))
    for position, family in enumerate(FAMILIES, start=1):
        assert re.search(
            rf'data-item="{position}"(?: data-start)?\s+data-kind="numeric" data-family="{family}"',
            page,
        )
    for item in of_every_family.items.all():
        for field in right_fields(item):
            assert f'name="item-{item.position}-{field}"' in page

    answer_everything(of_every_family)
    submit_and_mark(of_every_family)
    wrong = Grade.objects.exclude(verdict="right")
    assert [(grade.answer.item.shown["family"], grade.steps) for grade in wrong] == []
    assert Submission.objects.get().state == "graded"
    assert Answer.objects.count() == len(FAMILIES)

    assert refresh(of_every_family).score == len(FAMILIES)
    results = client.get(reverse("quizzes:results", args=[of_every_family.pk])).text
    assert results.count("Worked solution") == len(FAMILIES)
    assert "<merror" not in results
