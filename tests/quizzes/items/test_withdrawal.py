"""Withdrawn numbers: nobody gets them again, and those who have them keep them."""

import threading
import time
from datetime import timedelta

import pytest
from django.core.cache import caches
from django.db import transaction
from django.utils import timezone

from audit.models import Event
from demo.made_up_attempts import Learner, PlannedAttempt, create_attempts
from quizzes import problems
from quizzes.delivery.effective_settings import own_settings
from quizzes.delivery.services import stocking
from quizzes.delivery.services.stocking import clear_stock, stock_levels, stock_variants
from quizzes.delivery.services.taking import start_attempt, submit_attempt
from quizzes.errors import NotOpen
from quizzes.items.queries import draw_unsaved_variant, withdrawal_of
from quizzes.items.services.withdrawal import RESTORED, WITHDRAWN, restore_variant, withdraw_variant
from quizzes.models import Item, StruckOut, Variant
from quizzes.practice import services
from quizzes.practice.services import practise_quiz, replace_variant
from tests.world import Threads, make_user

pytestmark = pytest.mark.django_db

COSINE = problems.kind_of("cosine", {})
real_draw = problems.draw_variant


def kept(seed, *, for_exams=True, **columns):
    return Variant.objects.create(**real_draw(COSINE, seed, for_exams=for_exams), **columns)


@pytest.fixture
def nothing_new(monkeypatch):
    """Make drawing fail, as if there were no other numbers."""
    caches["local"].clear()
    monkeypatch.setattr(problems, "draw_variant", lambda *args, **kwargs: None)
    yield
    caches["local"].clear()


def variant_of(attempt):
    return attempt.items.get().variant


@pytest.mark.service
def test_an_exam_passes_over_what_was_struck_out_of_its_stock(cosine_quiz, student, author):
    first, second = kept("1"), kept("2")
    withdraw_variant(variant=first, by=author, reason="odd")
    assert variant_of(start_attempt(student=student, quiz=cosine_quiz)) == second


def test_it_does_not_count_as_stock_and_is_drawn_again_by_nobody(
    cosine_quiz, author, settings, monkeypatch
):
    settings.VARIANTS_IN_STOCK = 2
    one = kept("1")
    withdraw_variant(variant=one, by=author, reason="odd")
    assert stock_levels() == (0, 2)
    seeds = iter(["1", "1", "2", "3"])
    monkeypatch.setattr(stocking.secrets, "token_hex", lambda _size: next(seeds))
    stock_variants()
    assert stock_levels() == (2, 2)
    assert Variant.objects.filter(fingerprint=one.fingerprint).count() == 1


@pytest.mark.service
def test_numbers_that_come_again_are_not_these(
    cosine_quiz, student, other_student, author, nothing_new
):
    old = kept("1", given_at=timezone.now() - timedelta(days=2))
    other = kept("2", given_at=timezone.now())
    withdraw_variant(variant=old, by=author, reason="odd")
    assert variant_of(start_attempt(student=student, quiz=cosine_quiz)) == other
    withdraw_variant(variant=other, by=author, reason="odd")
    with pytest.raises(NotOpen):
        start_attempt(student=other_student, quiz=cosine_quiz)


def test_practice_asks_others(cosine_quiz, student, author, nothing_new):
    one, other = kept("1", for_exams=False), kept("2", for_exams=False)
    withdraw_variant(variant=one, by=author, reason="odd")
    practice = practise_quiz(student=student, quiz=cosine_quiz)
    assert variant_of(practice) == other
    withdraw_variant(variant=other, by=author, reason="odd")
    with pytest.raises(NotOpen):
        replace_variant(attempt=practice, position=1)


def test_made_up_attempts_do_not_have_them(cosine_quiz, student, author):
    struck_out = withdraw_variant(variant=kept("1 0"), by=author, reason="odd").variant
    settings, now = own_settings(cosine_quiz.own_sitting), timezone.now()
    moments = {"started_at": now, "ended_at": None, "saved_until": now}
    learner = Learner(ability=1, knows=1)
    go = PlannedAttempt(
        student=student, settings=settings, number=1, learner=learner, seed="1", **moments
    )
    (attempt,) = create_attempts([go])
    assert variant_of(attempt).fingerprint != struck_out.fingerprint


def test_whoever_has_them_keeps_them_and_is_marked(cosine_quiz, student, author):
    attempt = start_attempt(student=student, quiz=cosine_quiz)
    before = Item.objects.values().get(attempt=attempt)
    withdraw_variant(variant=variant_of(attempt), by=author, reason="odd")
    assert Item.objects.values().get(attempt=attempt) == before
    assert start_attempt(student=student, quiz=cosine_quiz) == attempt
    assert submit_attempt(attempt=attempt).answers.count() == 1


def test_what_is_drawn_is_kept_for_it_unless_it_is_kept_already(author):
    drawn = draw_unsaved_variant(COSINE, "9")
    row = withdraw_variant(variant=drawn, by=author, reason="odd").variant
    assert (row.fingerprint, row.for_exams) == (drawn.fingerprint, False)
    assert withdrawal_of(draw_unsaved_variant(COSINE, "9")).reason == "odd"
    row = kept("x", for_exams=False)
    again = Variant(**real_draw(COSINE, "x", for_exams=False))
    assert withdraw_variant(variant=again, by=author, reason="odd").variant == row
    assert Variant.objects.count() == 2


@pytest.mark.service
def test_struck_out_twice_it_keeps_the_first_reason(author):
    row = kept("1")
    first = withdraw_variant(variant=row, by=author, reason="first")
    assert withdraw_variant(variant=row, by=author, reason="second") == first
    assert StruckOut.objects.get().reason == "first"
    assert Event.objects.filter(verb=WITHDRAWN).count() == 1


def test_undone_it_is_given_again_and_both_deeds_are_remembered(cosine_quiz, student, author):
    row = kept("1")
    done = withdraw_variant(variant=row, by=author, reason="odd")
    for _ in range(2):
        restore_variant(withdrawal=done, by=author)
    assert variant_of(start_attempt(student=student, quiz=cosine_quiz)) == row
    verbs = list(Event.objects.order_by("pk").values_list("verb", "actor", "reason"))
    assert verbs == [(WITHDRAWN, author.pk, "odd"), (RESTORED, author.pk, "")]


@pytest.mark.service
def test_the_sweep_does_not_clear_it_away(author):
    row = kept("1", drawn_at=timezone.now() - timedelta(days=3))
    withdraw_variant(variant=row, by=author, reason="odd")
    assert clear_stock() == 0


# Concurrency


@pytest.mark.slow
@pytest.mark.service
@pytest.mark.django_db(transaction=True)
def test_struck_out_while_thirty_start_it_is_given_before_or_never(cosine_quiz, author):
    rows = [kept(str(number)) for number in range(40)]
    people = [make_user(str(n)) for n in range(30)]

    def strike(row):
        return withdraw_variant(variant=row, by=author, reason="odd").at

    def start(person):
        return start_attempt(student=person, quiz=cosine_quiz)

    with Threads(8) as pool:
        struck_at = [pool.submit(strike, row) for row in rows[:15]]
        started = [pool.submit(start, person) for person in people]
        marks = {row.pk: each.result() for row, each in zip(rows, struck_at, strict=False)}
        attempts = [each.result() for each in started]
    variants = [variant_of(attempt) for attempt in attempts]
    assert len(set(variants)) == 30
    for variant in variants:
        assert variant.pk not in marks or variant.given_at <= marks[variant.pk]
    # From now on it is never given.
    free = Variant.objects.filter(given_at=None, struck_at=None).count()
    for person in [make_user(f"late{n}") for n in range(free)]:
        assert variant_of(start_attempt(student=person, quiz=cosine_quiz)).struck_at is None


@pytest.mark.service
@pytest.mark.django_db(transaction=True)
def test_struck_out_between_the_pick_and_the_practice_it_is_not_given(
    cosine_quiz, student, author, monkeypatch
):
    one = kept("1", for_exams=False)
    picked = stocking.pick_for_practice
    times = []

    def pick_and_lose(**kwargs):
        found = picked(**kwargs)
        if not times:
            with Threads(1) as pool:
                pool.submit(withdraw_variant, variant=one, by=author, reason="odd").result()
        times.append(found)
        return found

    monkeypatch.setattr(services, "pick_for_practice", pick_and_lose)
    practice = practise_quiz(student=student, quiz=cosine_quiz)
    assert times[0] == [one]
    assert variant_of(practice).struck_at is None
    assert len(times) == 2


@pytest.mark.service
@pytest.mark.django_db(transaction=True)
def test_a_strike_waits_for_the_practice_that_gives_the_numbers(cosine_quiz, student, author):
    one = kept("1", for_exams=False)
    holds, strikes = threading.Event(), threading.Event()

    def practise():
        with transaction.atomic():
            assert stocking.lock_variants([one])
            holds.set()
            strikes.wait(5)
            time.sleep(0.3)
            return timezone.now()

    def strike():
        holds.wait(5)
        strikes.set()
        return withdraw_variant(variant=one, by=author, reason="odd").at

    with Threads(2) as pool:
        practised, struck_out = pool.submit(practise), pool.submit(strike)
        assert practised.result() <= struck_out.result()
