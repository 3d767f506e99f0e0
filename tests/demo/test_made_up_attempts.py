"""Generated attempts are stored as if students had made them."""

from datetime import timedelta

import pytest
from django.db import IntegrityError
from django.utils import timezone

from demo import made_up_attempts
from demo.made_up_attempts import Learner, PlannedAttempt, create_attempts, mark_attempts
from quizzes.delivery.effective_settings import own_settings
from quizzes.models import AskedQuestion, Attempt, Item, Variant

pytestmark = pytest.mark.django_db


@pytest.fixture
def go(quiz, student):
    quiz.slots.exclude(position__in=[2, 6, 12]).delete()
    began = timezone.now() - timedelta(days=3)

    def make(number=1, *, sure=1.0, minutes=10, ended=True, **said):
        start = began + number * timedelta(hours=1)
        end = start + timedelta(minutes=minutes)
        return PlannedAttempt(
            student=student,
            settings=own_settings(quiz.own_sitting),
            number=number,
            started_at=start,
            ended_at=end if ended else None,
            saved_until=end,
            learner=Learner(ability=18 * sure - 9, knows=sure),
            seed=f"a seed {number}",
            **said,
        )

    return make


def test_whoever_is_sure_of_everything_gets_all_points_and_whoever_knows_nothing_does_not(go):
    mark_attempts(create_attempts([go(1), go(2), go(3, sure=0.0)]))
    *sure, clueless = Attempt.objects.order_by("number")
    assert all(attempt.score == attempt.out_of > 0 for attempt in sure)
    assert clueless.score < clueless.out_of


def test_the_clock_has_closed_what_lasted_to_its_end(go):
    early, late = create_attempts([go(1), go(2, minutes=23)])
    assert (early.closed_by_clock, late.closed_by_clock) == (False, True)


def test_only_a_share_is_answered_and_the_rest_is_blank(go):
    (attempt,) = create_attempts([go(share=0.5)])
    saved = attempt.items.filter(revision=1, saved_at__isnull=False)
    assert 0 < saved.count() < attempt.items.count()
    assert not attempt.items.filter(revision=0).exclude(draft={}).exists()


def test_who_is_at_work_has_handed_nothing_in(go):
    (attempt,) = create_attempts([go(ended=False)])
    assert attempt.is_open
    assert not attempt.submissions.exists()


@pytest.mark.service
def test_what_was_asked_is_stored_as_for_other_attempts(go):
    create_attempts([go(1), go(2)])
    asked = set(AskedQuestion.objects.values_list("sitting", "question"))
    items = Item.objects.exclude(question=None)
    assert asked == set(items.values_list("attempt__sitting", "question"))
    assert asked


@pytest.mark.service
def test_numbers_that_somebody_else_drew_just_now_are_drawn_anew(go, monkeypatch):
    keep, tries = made_up_attempts._save_attempts, []

    def lose_once(*args):
        tries.append(args)
        if len(tries) == 1:
            raise IntegrityError
        return keep(*args)

    monkeypatch.setattr(made_up_attempts, "_save_attempts", lose_once)
    assert len(create_attempts([go()])) == 1
    assert len(tries) == 2


@pytest.mark.service
def test_where_no_new_numbers_are_left_older_ones_are_given_again(go, monkeypatch):
    create_attempts([go(1)])
    there = set(Variant.objects.values_list("pk", flat=True))
    monkeypatch.setattr("quizzes.problems.draw_for_exams", lambda *_, **__: [])
    (again,) = create_attempts([go(2)])
    assert set(Variant.objects.values_list("pk", flat=True)) == there
    items = Item.objects.filter(attempt=again, variant__isnull=False)
    assert {item.variant.given_at for item in items} == {again.started_at}
