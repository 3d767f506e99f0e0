"""A student's own numbers: an exam's were given to nobody before, and never practised."""

import importlib
import time
from collections import Counter
from datetime import timedelta

import pytest
from django.apps import apps
from django.core.cache import caches
from django.db import connection, transaction
from django.utils import timezone

from quizzes import problems
from quizzes.authoring.services.slots import write_slots
from quizzes.delivery.services import taking
from quizzes.delivery.services.item_selection import store_wordings
from quizzes.delivery.services.stocking import clear_stock, stock_variants
from quizzes.delivery.services.taking import start_attempt
from quizzes.delivery.sql import _claim_sql
from quizzes.errors import NotOpen, NotReady
from quizzes.items.skills import Skill
from quizzes.models import Attempt, Item, Quiz, Sitting, Submission, Variant
from quizzes.practice.services import practise_quiz, practise_skill, replace_variant
from tests.world import Threads, make_user

COSINE = problems.kind_of("cosine", {})
real_draw = problems.draw_variant


def variants_of(*attempts):
    items = Item.objects.filter(attempt__in=attempts, variant__isnull=False)
    return set(items.values_list("variant", flat=True))


def over(attempt):
    Attempt.objects.filter(pk=attempt.pk).update(state="submitted")


def make_variant(number, **columns):
    drawn = problems.draw_variant(COSINE, f"seed {number}", for_exams=True)
    return Variant.objects.create(**(drawn | columns))


@pytest.fixture
def few(monkeypatch):
    """Reduce each half of every kind to three sets of numbers."""
    caches["local"].clear()

    def draw(kind, seed, *, for_exams=False, is_known):
        for number in range(3):
            found = real_draw(kind, f"one of three {number}", for_exams=for_exams)
            if not is_known(found["fingerprint"]):
                return found | {"seed": seed}
        return None

    monkeypatch.setattr(problems, "draw_variant", draw)
    yield
    caches["local"].clear()


# Exams


@pytest.mark.django_db
@pytest.mark.skipif("connection.vendor != 'sqlite'")
def test_what_was_given_once_is_looked_through_by_no_start():
    """The index skips them, in any number. SQLite needs a hint."""
    asked = f"EXPLAIN QUERY PLAN {_claim_sql(1, connection.vendor)}"
    with connection.cursor() as cursor:
        cursor.execute(asked, [COSINE, 1, timezone.now()])
        steps = " ".join(str(step) for *_numbers, step in cursor.fetchall())
    assert "quizzes_variant USING INDEX variant_unused (kind=?)" in steps


@pytest.mark.service
def test_no_two_students_are_given_the_same(quiz, student, other_student):
    attempts = [start_attempt(student=each, quiz=quiz) for each in (student, other_student)]
    assert len(variants_of(*attempts)) == 8


@pytest.mark.service
@pytest.mark.django_db(transaction=True)
def test_all_who_start_at_once_are_given_numbers_of_their_own(quiz):
    count = 15
    practised = practise_quiz(student=make_user("Practises"), quiz=quiz)
    students = [make_user(str(number)) for number in range(count)]

    def start(student):
        return start_attempt(student=student, quiz=quiz)

    with Threads(12) as pool:
        attempts = list(pool.map(start, students))
    variants = Variant.objects.filter(items__attempt__in=attempts)
    numbers = Counter(variants.values_list("kind", "fingerprint"))
    assert numbers.total() == len(numbers) == count * 4
    assert not variants_of(*attempts) & variants_of(practised)
    assert not variants.filter(given_at=None).exists()


def test_practice_and_exams_draw_from_different_halves(quiz, student):
    exam = start_attempt(student=student, quiz=quiz)
    practice = practise_quiz(student=student, quiz=quiz)
    for attempt, for_exams in ((exam, True), (practice, False)):
        for variant in Variant.objects.filter(items__attempt=attempt):
            assert variant.for_exams is for_exams
            known = problems.fingerprint_of(variant.givens)
            half = problems.is_kept_for_exams(variant.family, variant.options, known)
            assert half is for_exams


@pytest.mark.service
def test_equal_numbers_are_one_variant_whatever_the_version(cosine_quiz, student):
    old = make_variant(1, kind="cosine/0/{}", version=0, given_at=timezone.now())
    drawn = problems.draw_variant(COSINE, "seed 1", for_exams=True, is_known=lambda _: False)
    assert drawn["fingerprint"] == old.fingerprint
    start_attempt(student=student, quiz=cosine_quiz)
    assert Variant.objects.filter(fingerprint=old.fingerprint).get() == old


def test_a_start_that_fails_gives_nothing(cosine_quiz, student):
    cosine_quiz.slots.create(position=2, topic="there-is-none")
    with pytest.raises(NotOpen):
        start_attempt(student=student, quiz=cosine_quiz)
    cosine_quiz.slots.get(position=2).delete()
    start_attempt(student=student, quiz=cosine_quiz)
    assert Variant.objects.get().given_at


def test_numbers_that_take_long_to_draw_are_drawn_by_and_by(quiz, student, monkeypatch):
    monkeypatch.setattr(taking, "MAX_DRAWING_SECONDS", 0)
    ready = []
    while True:
        try:
            attempt = start_attempt(student=student, quiz=quiz)
            break
        except NotReady as lack:
            ready.append(lack.ready)
            assert not Attempt.objects.exists()
            assert not Variant.objects.exclude(given_at=None).exists()
    # Each request draws one, even without time.
    assert ready == list(range(4))
    assert timezone.now() - attempt.started_at < timedelta(seconds=5)


# Exhausted numbers


@pytest.mark.service
def test_used_up_numbers_return_oldest_first_and_not_to_the_same_student(
    few, cosine_quiz, student, other_student
):
    variants = []
    for _ in range(3):
        attempt = start_attempt(student=student, quiz=cosine_quiz)
        variants += variants_of(attempt)
        over(attempt)
    assert len(set(variants)) == 3
    for again in variants:
        # Olu has had none of them, so the oldest come first.
        attempt = start_attempt(student=other_student, quiz=cosine_quiz)
        assert variants_of(attempt) == {again}
        over(attempt)
    # Both have had all of them.
    assert variants_of(start_attempt(student=student, quiz=cosine_quiz)) == {variants[0]}


def test_used_up_numbers_that_only_others_had_are_given_before_older_own_ones(
    few, cosine_quiz, student, other_student
):
    for _ in range(2):
        over(start_attempt(student=student, quiz=cosine_quiz))
    theirs = start_attempt(student=other_student, quiz=cosine_quiz)
    again = start_attempt(student=student, quiz=cosine_quiz)
    assert variants_of(again) == variants_of(theirs)


def test_used_up_numbers_that_an_older_row_has_too_are_not_given_again(
    few, cosine_quiz, student, other_student
):
    for _ in range(3):
        over(start_attempt(student=student, quiz=cosine_quiz))
    same = Variant.objects.latest("pk")
    same.pk = same.fingerprint = None
    same.given_at = timezone.now() - timedelta(days=2)
    same.save()
    assert same.pk not in variants_of(start_attempt(student=other_student, quiz=cosine_quiz))


@pytest.mark.service
@pytest.mark.django_db(transaction=True)
@pytest.mark.skipif("connection.vendor != 'postgresql'", reason="there one start waits for another")
def test_numbers_that_others_are_giving_again_at_this_moment_are_waited_for(
    few, cosine_quiz, student, other_student
):
    for _ in range(3):
        over(start_attempt(student=student, quiz=cosine_quiz))

    def start():
        return start_attempt(student=other_student, quiz=cosine_quiz)

    with Threads(1) as pool:
        with transaction.atomic():
            assert len(Variant.objects.select_for_update()) == 3
            waiting = pool.submit(start)
            with pytest.raises(TimeoutError):
                waiting.result(timeout=0.5)
        assert len(variants_of(waiting.result())) == 1


def test_a_quiz_that_asks_more_often_than_there_are_numbers_can_be_started(
    few, cosine_quiz, student
):
    for position in range(2, 6):
        cosine_quiz.slots.create(position=position, family="cosine")
    attempt = start_attempt(student=student, quiz=cosine_quiz)
    assert attempt.items.count() == 5
    assert len(variants_of(attempt)) == 3


@pytest.mark.service
def test_practice_that_has_shown_all_shows_what_was_seen_longest_ago(few, student):
    attempt = practise_skill(student=student, skill=Skill("family", "cosine"))
    for position in range(1, 5):
        replace_variant(attempt=attempt, position=position)
    shown = list(attempt.items.order_by("position").values_list("variant", flat=True))
    assert len(set(shown[:3])) == 3
    assert shown[3:] == shown[:2]


def test_a_kind_without_any_numbers_refuses_in_words(few, cosine_quiz, student, monkeypatch):
    monkeypatch.setattr(problems, "draw_variant", lambda kind, seed, **more: None)
    with pytest.raises(NotOpen, match="no numbers left"):
        start_attempt(student=student, quiz=cosine_quiz)
    with pytest.raises(NotOpen, match="no numbers left"):
        practise_skill(student=student, skill=Skill("family", "cosine"))


# The stock


@pytest.mark.service
def test_the_stock_is_filled_for_published_quizzes_alone_once_nothing_waits_to_be_marked(
    quiz, attempt, settings
):
    settings.VARIANTS_IN_STOCK = 4
    Quiz.objects.update(published=False)
    assert stock_variants() == 0
    Quiz.objects.update(published=True)
    waiting = Submission.objects.create(attempt=attempt)
    assert stock_variants(seconds=60) == 0
    waiting.delete()
    assert stock_variants(seconds=60) == 16
    stock = Counter(Variant.objects.filter(given_at=None).values_list("kind", flat=True))
    assert (set(stock.values()), len(stock)) == ({4}, 4)
    assert stock_variants() == 0


@pytest.mark.service
def test_only_what_an_exam_can_still_be_given_counts_as_stock_and_twice_what_is_asked_twice(
    cosine_quiz, student, settings
):
    settings.VARIANTS_IN_STOCK = 2
    start_attempt(student=student, quiz=cosine_quiz)
    practise_skill(student=student, skill=Skill("family", "cosine"))
    assert stock_variants(seconds=60) == 2
    cosine_quiz.slots.create(position=2, family="cosine")
    assert stock_variants(seconds=60) == 2


@pytest.mark.parametrize(
    ("opens_in", "stocked"),
    [(timedelta(hours=2), 2), (timedelta(minutes=50), 5), (timedelta(minutes=-5), 5)],
)
def test_the_stock_grows_before_a_quiz_opens(cosine_quiz, settings, opens_in, stocked):
    settings.VARIANTS_IN_STOCK = 2
    for number in range(5):
        make_user(str(number))
    Sitting.objects.update(opens_at=timezone.now() + opens_in)
    assert stock_variants(seconds=60) == stocked


@pytest.mark.service
def test_the_emptiest_kinds_that_can_be_drawn_are_stocked_first_and_no_longer_than_it_may_take(
    quiz, settings
):
    settings.VARIANTS_IN_STOCK = 2
    assert stock_variants(seconds=0) == 0
    quiz.slots.exclude(position__in=[1, 2, 3]).delete()
    quiz.slots.filter(position=1).update(options={})
    quiz.slots.filter(position=2).update(family="gone")
    make_variant(1)
    assert stock_variants(seconds=60) == 3
    first, second = Variant.objects.order_by("pk").values_list("family", flat=True)[:2]
    assert (first, second) == ("cosine", "softmax_row")


def test_a_kind_that_is_used_up_does_not_keep_a_worker_drawing(few, cosine_quiz):
    began = time.monotonic()
    assert stock_variants(seconds=60) == 3
    assert time.monotonic() - began < 30


@pytest.mark.service
def test_what_nobody_asks_for_any_more_is_cleared_away(cosine_quiz, student):
    long_ago = timezone.now() - timedelta(days=2)
    start_attempt(student=student, quiz=cosine_quiz)
    used = Variant.objects.get()
    kept = make_variant(1, drawn_at=long_ago)
    fresh = make_variant(2, kind="cosine/0/{}")
    make_variant(3, kind="cosine/0/{}", drawn_at=long_ago)
    assert clear_stock() == 1
    assert set(Variant.objects.all()) == {used, kept, fresh}
    write_slots(quiz=cosine_quiz, wanted=[])
    assert clear_stock() == 1
    assert set(Variant.objects.all()) == {used, fresh}


# Rows from when students shared variants


def shown_in(mode, student, variant, started_at):
    quiz = Quiz.objects.create(slug=f"quiz-{Quiz.objects.count()}", title="Quiz")
    at = {"quiz": quiz, "sitting": quiz.own_sitting if mode == "graded" else None, "mode": mode}
    over = {"state": "submitted", "started_at": started_at}
    attempt = Attempt.objects.create(student=student, **at, **over)
    (wording,) = store_wordings([{}])
    Item.objects.create(attempt=attempt, position=1, place=1, variant=variant, wording_id=wording)


@pytest.mark.service
def test_shared_rows_are_sorted_into_what_may_still_be_given(cosine_quiz, student, monkeypatch):
    migration = importlib.import_module("quizzes.migrations.0005_own_numbers")
    # Since then rows store half of it.
    shorter = lambda givens: problems.fingerprint_of(givens)[:32]  # noqa: E731
    monkeypatch.setattr(migration, "fingerprint_of", shorter)
    now = timezone.now()
    old = {"fingerprint": None, "for_exams": False}
    unused, asked, practised = (make_variant(number, **old) for number in (1, 2, 3))
    same_as_asked = make_variant(2, **old | {"seed": "other"})
    same_as_practised = make_variant(3, **old | {"seed": "another"})
    shown_in("graded", student, same_as_asked, now)
    shown_in("practice", student, same_as_practised, now)
    migration.sort_out(apps, None)
    for variant in (unused, asked, same_as_asked, practised, same_as_practised):
        variant.refresh_from_db()
    assert (unused.for_exams, unused.given_at) == (True, None)
    assert (asked.for_exams, asked.given_at) == (True, now)
    assert (practised.for_exams, practised.given_at) == (False, None)
    assert same_as_asked.fingerprint is same_as_practised.fingerprint is None
    assert variants_of(start_attempt(student=student, quiz=cosine_quiz)) == {unused.pk}
