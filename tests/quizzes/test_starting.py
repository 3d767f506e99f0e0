"""Starting an attempt: everybody gets fifteen items of their own."""

from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest
from django.db import connection
from django.utils import timezone

from quizzes.models import GRACE, Attempt, Item, Quiz, Submission, Variant
from quizzes.problems import kind_of
from quizzes.services.errors import NotOpen
from quizzes.services.stocking import draw_variant, pick_variants, stock_variants
from quizzes.services.taking import start_attempt

pytestmark = pytest.mark.service


def test_an_attempt_has_an_item_for_each_slot(quiz, student):
    attempt = start_attempt(student=student, quiz=quiz)
    items = list(attempt.items.all())
    assert [item.position for item in items] == list(range(1, 16))
    assert Counter(item.shown["kind"] for item in items) == {"numeric": 11, "choice": 4}
    assert attempt.out_of == 15
    assert attempt.deadline - attempt.started_at == timedelta(minutes=23)


def test_starting_again_returns_the_open_attempt(quiz, student):
    assert start_attempt(student=student, quiz=quiz) == start_attempt(student=student, quiz=quiz)


@pytest.mark.django_db(transaction=True)
def test_two_starts_at_once_give_one_attempt(quiz, student):
    def start(_):
        try:
            return start_attempt(student=student, quiz=quiz).pk
        finally:
            connection.close()

    with ThreadPoolExecutor(4) as pool:
        started = set(pool.map(start, range(4)))
    assert len(started) == 1
    assert Item.objects.count() == 15


def test_no_student_meets_a_variant_twice(quiz, student):
    seen = []
    for _ in range(3):
        attempt = start_attempt(student=student, quiz=quiz)
        seen += attempt.items.exclude(variant=None).values_list("variant", flat=True)
        Attempt.objects.filter(pk=attempt.pk).update(state="submitted")
    assert len(set(seen)) == len(seen) == 33


def test_students_share_the_stock(quiz, student, other_student):
    start_attempt(student=student, quiz=quiz)
    drawn = Variant.objects.count()
    start_attempt(student=other_student, quiz=quiz)
    assert Variant.objects.count() == drawn


def test_questions_of_one_topic_differ_within_an_attempt(quiz, student):
    attempt = start_attempt(student=student, quiz=quiz)
    asked = [item.shown["key"] for item in attempt.items.exclude(question=None)]
    assert len(set(asked)) == len(asked) == 4


def test_a_question_not_yet_seen_comes_first(quiz, student):
    first = start_attempt(student=student, quiz=quiz)
    Attempt.objects.filter(pk=first.pk).update(state="submitted")
    second = start_attempt(student=student, quiz=quiz)
    keys = [attempt.items.get(position=15).shown["key"] for attempt in (first, second)]
    assert sorted(keys) == ["why-softmax-1", "why-softmax-2"] or keys[0] != keys[1]


def test_a_draft_quiz_does_not_start(quiz, student):
    quiz.published = False
    with pytest.raises(NotOpen, match="not open"):
        start_attempt(student=student, quiz=quiz)


def test_attempts_are_limited(quiz, student):
    quiz.attempts_allowed = 1
    attempt = start_attempt(student=student, quiz=quiz)
    Attempt.objects.filter(pk=attempt.pk).update(state="submitted")
    with pytest.raises(NotOpen, match="all your attempts"):
        start_attempt(student=student, quiz=quiz)


def test_attempts_at_another_quiz_do_not_count(quiz, student):
    other = Quiz.objects.create(slug="other", title="Other", published=True, attempts_allowed=1)
    other.slots.create(position=1, family="cosine")
    start_attempt(student=student, quiz=quiz)
    assert start_attempt(student=student, quiz=other).number == 1


def test_the_deadline_never_lies_after_the_close(quiz, student):
    quiz.closes_at = timezone.now() + timedelta(minutes=5)
    assert start_attempt(student=student, quiz=quiz).deadline == quiz.closes_at


def test_a_closed_quiz_does_not_start(quiz, student):
    quiz.closes_at = timezone.now() - timedelta(seconds=1)
    with pytest.raises(NotOpen, match="has closed"):
        start_attempt(student=student, quiz=quiz)


@pytest.mark.parametrize(("until", "closed"), [(-1, True), (0, True), (1, False)])
def test_a_quiz_has_closed_from_the_very_moment_on(until, closed):
    now = timezone.now()
    quiz = Quiz(closes_at=now + timedelta(microseconds=until), release=Quiz.Release.AFTER_CLOSE)
    assert quiz.has_closed(now) is closed
    assert quiz.shows_results(now) is closed


def test_a_quiz_without_a_moment_to_close_at_never_closes():
    assert Quiz().has_closed(timezone.now()) is False


def test_an_attempt_whose_time_is_up_is_closed_and_a_new_one_started(quiz, student):
    first = start_attempt(student=student, quiz=quiz)
    past = timezone.now() - GRACE - timedelta(seconds=1)
    Attempt.objects.filter(pk=first.pk).update(deadline=past)
    second = start_attempt(student=student, quiz=quiz)
    assert second.number == 2
    assert Submission.objects.get().attempt == first


def test_what_an_item_showed_survives_an_edit(quiz, student, questions):
    attempt = start_attempt(student=student, quiz=quiz)
    item = attempt.items.exclude(question=None).first()
    before = item.shown
    item.question.choices.update(text="edited", correct=False)
    item.refresh_from_db()
    assert item.shown == before


def test_the_stock_is_filled_for_published_quizzes_alone(quiz, settings):
    settings.VARIANTS_IN_STOCK = 4
    quiz.published = False
    quiz.save()
    assert stock_variants() == 0
    quiz.published = True
    quiz.save()
    assert stock_variants(seconds=60) == 44
    stock = Counter(Variant.objects.values_list("kind", flat=True))
    assert set(stock.values()) == {4}
    assert len(stock) == 11
    assert stock_variants() == 0


def test_the_emptiest_kinds_are_stocked_first_and_no_longer_than_it_may_take(quiz, settings):
    settings.VARIANTS_IN_STOCK = 2
    assert stock_variants(seconds=0) == 0
    quiz.slots.exclude(position__in=[1, 7]).delete()
    cosine, softmax = (kind_of(slot.family, slot.options) for slot in quiz.slots.all())
    draw_variant(kind=cosine)
    assert stock_variants(seconds=60) == 3
    drawn = list(Variant.objects.order_by("pk").values_list("kind", flat=True))
    assert drawn[:2] == [cosine, softmax]


def test_what_cannot_be_drawn_does_not_keep_the_others_from_being_stocked(quiz, settings):
    settings.VARIANTS_IN_STOCK = 1
    quiz.slots.filter(position=1).update(family="gone")
    assert stock_variants(seconds=60) == 10


def test_every_variant_of_the_stock_can_be_picked(quiz, student):
    kind = "softmax_row/1/" + '{"tokens": 2}'
    pick_variants(student=student, kinds=[kind] * 5)
    picked = {pick_variants(student=student, kinds=[kind])[0].pk for _ in range(200)}
    assert len(picked) == 5
