"""Starting an attempt: everybody gets items of their own."""

from collections import Counter
from datetime import timedelta

import pytest
from django.utils import timezone

from quizzes.delivery.services.taking import start_attempt
from quizzes.errors import NotOpen
from quizzes.models import Attempt, Item, Quiz, Sitting, Submission
from tests.each import each
from tests.fixtures import SOME, WHOLE
from tests.world import Threads, let_time_run_out, refresh

ASKS = [*SOME, *WHOLE[12:14]]


@pytest.mark.service
def test_an_attempt_has_an_item_for_each_slot(attempt):
    items = list(attempt.items.all())
    assert [item.position for item in items] == list(range(1, 9))
    assert Counter(item.shown["kind"] for item in items) == {"numeric": 4, "choice": 4}
    assert attempt.out_of == 8
    assert attempt.deadline - attempt.started_at == timedelta(minutes=23)


@pytest.mark.service
@pytest.mark.django_db(transaction=True)
def test_two_starts_at_once_give_one_attempt(quiz, student):
    def start(_):
        return start_attempt(student=student, quiz=quiz).pk

    with Threads(4) as pool:
        started = set(pool.map(start, range(4)))
    assert len(started) == 1
    assert Item.objects.count() == 8


@pytest.mark.service
def test_no_student_meets_a_variant_twice(quiz, student):
    seen = []
    for _ in range(3):
        attempt = start_attempt(student=student, quiz=quiz)
        seen += attempt.items.exclude(variant=None).values_list("variant", flat=True)
        Attempt.objects.filter(pk=attempt.pk).update(state="submitted")
    assert len(set(seen)) == len(seen) == 12


def test_questions_of_one_topic_differ_within_an_attempt(attempt):
    asked = [item.shown["key"] for item in attempt.items.exclude(question=None)]
    assert len(set(asked)) == len(asked) == 4


@pytest.mark.service
def test_a_question_not_yet_seen_comes_first(quiz, student):
    first = start_attempt(student=student, quiz=quiz)
    Attempt.objects.filter(pk=first.pk).update(state="submitted")
    second = start_attempt(student=student, quiz=quiz)
    keys = [attempt.items.get(position=6).shown["key"] for attempt in (first, second)]
    assert sorted(keys) == ["why-softmax-1", "why-softmax-2"] or keys[0] != keys[1]


def test_attempts_at_another_quiz_do_not_count(quiz, student):
    other = Quiz.objects.create(slug="other", title="Other", published=True)
    other.own_sitting.attempts_allowed = 1
    other.slots.create(position=1, family="cosine")
    start_attempt(student=student, quiz=quiz)
    assert start_attempt(student=student, quiz=other).number == 1


def test_the_deadline_never_lies_after_the_close(quiz, student):
    quiz.own_sitting.closes_at = timezone.now() + timedelta(minutes=5)
    assert start_attempt(student=student, quiz=quiz).deadline == quiz.own_sitting.closes_at


@each(
    "lacking, reason",
    [
        ({"published": False}, "isn’t open"),
        ({"opens_at": timedelta(seconds=60)}, "hasn’t opened yet"),
        ({"closes_at": timedelta(seconds=-1)}, "has closed"),
    ],
)
def test_a_draft_and_a_quiz_that_is_not_open_do_not_start(quiz, student, lacking, reason):
    quiz = Quiz.objects.get(pk=quiz.pk)
    quiz.published = lacking.get("published", True)
    quiz.own_sitting.opens_at = timezone.now() + lacking.get("opens_at", timedelta())
    quiz.own_sitting.closes_at = timezone.now() + lacking.get("closes_at", timedelta(hours=1))
    with pytest.raises(NotOpen, match=reason):
        start_attempt(student=student, quiz=quiz)
    quiz.published, quiz.own_sitting.opens_at, quiz.own_sitting.closes_at = (
        True,
        timezone.now(),
        None,
    )
    assert start_attempt(student=student, quiz=quiz)


@pytest.mark.parametrize(("until", "closed"), [(-1, True), (0, True), (1, False)])
def test_a_quiz_has_closed_from_the_very_moment_on(until, closed):
    now = timezone.now()
    closes_at = now + timedelta(microseconds=until)
    sitting = Sitting(closes_at=closes_at, release=Sitting.Release.AFTER_CLOSE)
    assert sitting.has_closed(now) is sitting.shows_results(now) is closed
    assert Sitting().has_closed(now) is False


def test_an_attempt_whose_time_is_up_is_closed_and_a_new_one_started(quiz, student):
    first = start_attempt(student=student, quiz=quiz)
    let_time_run_out(first)
    assert start_attempt(student=student, quiz=quiz).number == 2
    assert Submission.objects.get().attempt == first


def test_what_an_item_showed_survives_an_edit(questions, attempt):
    item = attempt.items.exclude(question=None).first()
    before = item.shown
    item.question.choices.update(text="edited", correct=False)
    assert refresh(item).shown == before
