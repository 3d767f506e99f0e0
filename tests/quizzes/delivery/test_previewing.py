"""Previews: an author takes a quiz as students do, and nothing of it counts."""

from contextlib import suppress
from datetime import timedelta

import pytest
from django.db import IntegrityError, transaction
from django.utils import timezone

from quizzes import tasks
from quizzes.authoring.queries import students, with_last_deadline
from quizzes.delivery.queries.attempts import (
    attempts_of,
    graded_attempts,
    latest_attempts,
    quizzes_taken,
    sittings_taken,
    submitted_attempts,
)
from quizzes.delivery.queries.secrecy import (
    last_asked,
    questions_hidden_in_practice,
    secret_questions,
)
from quizzes.delivery.services import previews
from quizzes.delivery.services.previews import clear_previews, delete_preview, start_preview
from quizzes.delivery.services.reopening import reopen_attempt
from quizzes.delivery.services.retention import forget_student
from quizzes.delivery.services.stocking import stock_levels
from quizzes.delivery.services.taking import (
    Save,
    close_overdue,
    save_draft,
    start_attempt,
    submit_attempt,
)
from quizzes.errors import NotDrawn, Refused
from quizzes.marking.queries import marked_exam
from quizzes.marking.services import grade_waiting
from quizzes.models import Attempt, ConceptQuestion, ExtraTime, Item, Sitting, Submission, Variant
from quizzes.personal import export_personal_data
from quizzes.practice.queries.practice import practices_of
from quizzes.practice.queries.skill_records import skill_records
from quizzes.reports.services import report_item
from tests.world import Threads, answer_everything, duration_in_minutes, refresh, submit_and_mark

pytestmark = pytest.mark.django_db


@pytest.mark.service
def test_it_asks_what_a_student_is_asked_on_the_clock_of_the_quiz(quiz, author):
    Sitting.objects.filter(quiz=quiz).update(minutes=31)
    preview = start_preview(author=author, quiz=type(quiz).objects.get())
    assert (preview.mode, preview.sitting, preview.minutes) == ("preview", None, 31)
    assert duration_in_minutes(preview) == 31
    asked = [
        item.variant.family if item.variant else item.question.topic for item in items(preview)
    ]
    assert asked == [slot.family or slot.topic for slot in quiz.slots.all()]


def items(attempt):
    return list(attempt.items.select_related("variant", "question"))


def test_it_is_marked_by_workers_and_shown_at_once_whatever_the_release(quiz, author):
    Sitting.objects.filter(quiz=quiz).update(release=Sitting.Release.BY_HAND)
    preview = start_preview(author=author, quiz=quiz)
    answer_everything(preview)
    assert submit_and_mark(preview).score == preview.out_of == 6
    assert preview.shows_results(timezone.now())


def test_a_draft_that_has_closed_can_be_previewed(quiz, author):
    type(quiz).objects.filter(pk=quiz.pk).update(published=False)
    Sitting.objects.filter(quiz=quiz).update(closes_at=timezone.now() - timedelta(days=1))
    assert start_preview(author=author, quiz=refresh(quiz)).is_open


def test_it_takes_no_number_of_an_exam(quiz, author):
    before = stock_levels()
    variants = Variant.objects.filter(items__attempt=start_preview(author=author, quiz=quiz))
    assert not variants.filter(for_exams=True).exists()
    assert variants.count() == 4
    assert stock_levels() == before


def test_it_may_show_reserved_questions(quiz, author):
    ConceptQuestion.objects.update(reserved=True)
    preview = start_preview(author=author, quiz=quiz)
    assert sum(item.question is not None for item in items(preview)) == 2


def test_one_whose_time_was_up_is_handed_in_by_the_next_or_the_sweep(quiz, author):
    first = start_preview(author=author, quiz=quiz)
    Attempt.objects.update(deadline=timezone.now() - timedelta(minutes=1))
    assert start_preview(author=author, quiz=quiz) != first
    assert refresh(first).state == Attempt.State.SUBMITTED
    Attempt.objects.update(deadline=timezone.now() - timedelta(minutes=1))
    assert close_overdue() == 1  # the sweep, as with any other


def test_two_authors_have_one_each_by_their_own_extra_time(quiz, author, student):
    ExtraTime.objects.create(student=author, factor=2)
    one, other = (start_preview(author=each, quiz=quiz) for each in (author, student))
    assert (duration_in_minutes(one), duration_in_minutes(other)) == (46, 23)


def test_a_preview_names_slots_that_cannot_be_drawn_and_says_if_there_are_none(quiz, author):
    quiz.slots.filter(position=3).update(family="gone")
    quiz.slots.filter(position=4).update(options={"width": 99})
    ConceptQuestion.objects.filter(key="values-1").update(published=False)
    ConceptQuestion.objects.filter(topic="keys").update(published=False)
    with pytest.raises(NotDrawn, match=r"^Slot 3: .* Slot 4: .* Slot 6: ") as lacking:
        start_preview(author=author, quiz=quiz)
    assert len(lacking.value.troubles) == 3
    assert not Attempt.objects.exists()
    quiz.slots.all().delete()
    with pytest.raises(NotDrawn, match="no slots"):
        start_preview(author=author, quiz=quiz)


def test_a_slot_without_numbers_is_named(quiz, author, monkeypatch):
    real = previews.pick_for_practice

    def pick(*, student, kinds):
        if any(kind.startswith(("cosine", "softmax_row")) for kind in kinds):
            raise previews.NotOpen("none")
        return real(student=student, kinds=kinds)

    monkeypatch.setattr(previews, "pick_for_practice", pick)
    with pytest.raises(NotDrawn, match=r"^Slot 1: .* Slot 3: [^:]*$"):
        start_preview(author=author, quiz=quiz)


# Not counted anywhere


@pytest.fixture
def previewed(quiz, author):
    preview = start_preview(author=author, quiz=quiz)
    answer_everything(preview)
    return submit_and_mark(preview)


def test_its_author_has_learnt_nothing_by_it_and_is_no_student(previewed, author, quiz):
    assert author not in students()
    assert skill_records(author, timezone.now()) == []
    assert latest_attempts(author) == list(attempts_of(author)) == []
    assert submitted_attempts(author, []) == []
    assert graded_attempts(author) == practices_of(author, 5) == []
    assert last_asked(author) == {}
    assert not quizzes_taken(author)
    assert not sittings_taken(author)


def test_it_uses_up_no_attempt_and_no_number(previewed, quiz, author):
    Sitting.objects.filter(quiz=quiz).update(attempts_allowed=1)
    attempt = start_attempt(student=author, quiz=type(quiz).objects.get(pk=quiz.pk))
    assert (attempt.number, attempt.mode) == (1, "graded")


def test_both_may_be_open_at_once(quiz, author):
    attempt = start_attempt(student=author, quiz=quiz)
    assert attempt.is_open is start_preview(author=author, quiz=quiz).is_open is True
    assert start_attempt(student=author, quiz=quiz) == attempt


def test_it_keeps_no_question_from_anybody(quiz, author, student):
    start_preview(author=author, quiz=quiz)
    now = timezone.now()
    for person in (author, student):
        assert secret_questions(person, now) == set()
        assert questions_hidden_in_practice(person, now) == set()


def test_it_does_not_hold_back_the_release_of_others(quiz, author):
    closed = timezone.now() - timedelta(seconds=1)
    Sitting.objects.filter(quiz=quiz).update(release="after_close", closes_at=closed)
    start_preview(author=author, quiz=quiz)
    assert Sitting.objects.get(quiz=quiz).shows_results(timezone.now())
    assert with_last_deadline(Sitting.objects.all()).get().last_deadline is None


@pytest.mark.service
def test_deadlines_of_many_sittings_are_those_that_each_would_read(quiz, student):
    closed = timezone.now() - timedelta(seconds=1)
    attempt = start_attempt(student=student, quiz=quiz)
    Sitting.objects.filter(quiz=quiz).update(release="after_close", closes_at=closed)
    (listed,) = with_last_deadline(Sitting.objects.all())
    assert listed.last_deadline == attempt.deadline
    assert not listed.shows_results(timezone.now())
    assert not Sitting.objects.get(quiz=quiz).shows_results(timezone.now())
    assert listed.shows_results(attempt.deadline + timedelta(seconds=1))
    submit_attempt(attempt=attempt)
    (listed,) = with_last_deadline(Sitting.objects.all())
    assert listed.last_deadline is None
    assert listed.shows_results(timezone.now())


@pytest.mark.service
def test_what_is_submitted_or_saved_after_it_was_deleted_is_refused(quiz, author):
    preview = start_preview(author=author, quiz=quiz)
    delete_preview(attempt=Attempt.objects.get())
    with pytest.raises(Attempt.DoesNotExist):
        submit_attempt(attempt=preview)
    with pytest.raises(Item.DoesNotExist):
        save_draft(attempt=preview, position=1, save=Save({}, 0, "t"))


def test_its_review_is_its_author_s_who_reports_nothing_and_does_not_reopen_it(previewed, author):
    assert marked_exam(Attempt.objects.all(), previewed.pk) is None
    (exported,) = export_personal_data(author)["attempts"]
    assert (exported["mode"], exported["results_are_out"]) == ("preview", True)
    with pytest.raises(Refused):
        report_item(item=previewed.items.first(), sentence="odd")
    with pytest.raises(Refused):
        reopen_attempt(attempt=previewed, until=timezone.now() + timedelta(hours=1))


# Deleting


@pytest.mark.service
def test_deleted_it_leaves_nothing_but_numbers_for_practice(previewed):
    for _ in range(2):
        delete_preview(attempt=previewed)
    assert not any(model.objects.exists() for model in (Attempt, Item, Submission))
    assert Variant.objects.filter(for_exams=False).count() == 4


def test_nothing_else_is_deleted_by_that_name(attempt):
    delete_preview(attempt=attempt)
    assert Attempt.objects.get() == attempt


def test_it_goes_with_its_author(previewed, author):
    forget_student(student=author)
    assert not Attempt.objects.exists()


@pytest.mark.service
def test_old_ones_are_cleared_and_only_they(quiz, author, student):
    old = timezone.now() - previews.PREVIEW_LIFETIME - timedelta(hours=1)
    kept = start_attempt(student=student, quiz=quiz)
    first = start_preview(author=author, quiz=quiz)
    Attempt.objects.update(started_at=old)
    second = start_preview(author=student, quiz=quiz)
    tasks.tidy()
    assert set(Attempt.objects.all()) == {kept, second}
    assert first not in Attempt.objects.all()
    assert clear_previews() == 0


@pytest.mark.service
def test_the_database_holds_one_open_preview_and_gives_it_no_sitting(quiz, author):
    start_preview(author=author, quiz=quiz)
    own = {"student": author, "quiz": quiz, "mode": "preview"}
    for wrong in ({}, {"state": "submitted", "sitting": quiz.own_sitting}):
        with pytest.raises(IntegrityError), transaction.atomic():
            Attempt.objects.create(**own, **wrong)


# At once


@pytest.mark.service
@pytest.mark.django_db(transaction=True)
def test_eight_starts_at_once_give_one(quiz, author):
    with Threads(8) as pool:
        started = [pool.submit(start_preview, author=author, quiz=quiz) for _ in range(8)]
        assert len({each.result() for each in started}) == 1


@pytest.mark.service
@pytest.mark.django_db(transaction=True)
def test_deleted_while_it_is_handed_in_and_marked_nothing_is_left_over(quiz, author):
    for _ in range(6):
        preview = start_preview(author=author, quiz=quiz)

        def hand_in(attempt=preview):
            with suppress(Attempt.DoesNotExist, Submission.DoesNotExist):  # it has gone
                submit_attempt(attempt=attempt)
            grade_waiting()

        with Threads(3) as pool:
            handed_in = pool.submit(hand_in)
            deleted = pool.submit(delete_preview, attempt=preview)
            marked_too = pool.submit(grade_waiting)
            handed_in.result(), deleted.result(), marked_too.result()
        assert not Item.objects.exists()
        assert not Submission.objects.exists()


@pytest.mark.service
@pytest.mark.django_db(transaction=True)
def test_migrating_back_deletes_previews_and_no_more(quiz, author, student, migrate):
    kept = submit_attempt(attempt=start_attempt(student=student, quiz=quiz)).attempt_id
    submit_and_mark(start_preview(author=author, quiz=quiz))
    start_preview(author=author, quiz=quiz)
    before = migrate([("quizzes", "0026_freeze_pools")])
    attempts = before.get_model("quizzes", "Attempt").objects
    assert list(attempts.values_list("pk", flat=True)) == [kept]
    assert before.get_model("quizzes", "Item").objects.count() == 6
    migrate()
