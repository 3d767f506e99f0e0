"""Practice: untimed, with any number of checks and new variants."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict
from datetime import datetime
from typing import Any

from django.db import transaction
from django.db.models import Max
from django.utils import timezone
from django.utils.translation import gettext as _

from quizzes import problems
from quizzes.authoring.queries import quiz_slots
from quizzes.delivery.effective_settings import available_settings
from quizzes.delivery.queries.attempts import graded_attempts
from quizzes.delivery.queries.practicable import closed_problems
from quizzes.delivery.queries.secrecy import questions_hidden_in_practice
from quizzes.delivery.services.item_selection import (
    SlotsChanged,
    build_items,
    insert_items,
    lock_slots,
    lock_student,
    variant_kinds,
)
from quizzes.delivery.services.stocking import lock_variants, pick_for_practice
from quizzes.delivery.services.taking import Save, apply_save
from quizzes.errors import NothingTyped, NotOpen, Unreadable
from quizzes.items.skills import MISTAKES, TODAY, Skill
from quizzes.models import Answer, Attempt, Item, Quiz, Slot, Submission, Variant
from quizzes.practice.hints import SOLUTION, add_hint, next_step
from quizzes.practice.queries.access import may_practise
from quizzes.practice.queries.practice import (
    is_fully_checked,
    last_item_if_done,
    practicable_mistakes,
    practices_on,
)
from quizzes.practice.queries.spaced_review import due_reviews
from quizzes.problems.answers import is_begun, is_choice, nest


def practise_quiz(*, student, quiz: Quiz) -> Attempt:
    """Start to practise a quiz, or continue this student's open practice of it.

    Raises:
        NotOpen: the quiz is a draft, is not to be practised, or cannot be drawn.
    """
    practised_by = (settings.sitting.practice for settings in available_settings(student, quiz))
    if not (quiz.published and any(practised_by)):
        raise NotOpen(_("This quiz can’t be practised."))
    while True:
        try:
            return _practise(quiz_slots(quiz), student=student, quiz=quiz)
        except SlotsChanged:
            continue


def practise_skill(*, student, skill: Skill) -> Attempt:
    """Start to practise a skill, or continue this student's open practice of it.

    If its newest item is right already, or secret now, another is asked, unless none is left.

    Raises:
        NotOpen: there is no such skill, or all of its questions are being asked elsewhere.
    """
    if not may_practise(student, skill):
        raise NotOpen(_("There’s nothing to practise under this name."))
    attempt = _practise([_slot_for(skill)], student=student, quiz=None, skill=str(skill))
    hidden = questions_hidden_in_practice(student, timezone.now())
    if (done := last_item_if_done(attempt, hidden)) is not None:
        with suppress(NotOpen):
            replace_variant(attempt=attempt, position=done)
    return attempt


def practise_mistakes(*, attempt: Attempt) -> Attempt:
    """Start to practise a student's mistakes in an attempt, or continue it.

    Each of these questions is asked again, with other numbers or as another question.

    Raises:
        NotOpen: its results are not shown, or nothing of it is left to practise.
    """
    slots = [_slot_like(item) for item in practicable_mistakes(attempt, timezone.now())]
    if not slots:
        raise NotOpen(_("There’s nothing to practise from this attempt."))
    for slot in slots:
        slot.id = None  # not a quiz's slot
    skill = Skill(MISTAKES, str(attempt.pk))
    return _practise(slots, student=attempt.student, quiz=None, skill=str(skill))


def practise_today(*, student) -> Attempt:
    """Start to review what is due today, or continue this student's open review.

    Raises:
        NotOpen: nothing is due.
    """
    now = timezone.now()
    day = timezone.localdate(now)
    earlier = practices_on(student, day.isoformat())
    if earlier and not is_fully_checked(earlier[-1]):
        return earlier[-1]
    due = due_reviews(student, now)
    if not due.reviews:
        raise NotOpen(_("Nothing is due today."))
    slots = [_slot_to_review(review.skill) for review in due.reviews]
    skill = Skill(TODAY, f"{day.isoformat()}-{len(earlier) + 1}")
    return _practise(slots, student=student, quiz=None, skill=str(skill))


def _slot_to_review(skill: Skill) -> Slot:
    slot = _slot_for(skill)
    if skill.is_numeric:
        slot.options = problems.smallest_sizes(skill.key)
    return slot


def _practise(slots: Sequence[Slot], *, student, quiz: Quiz | None, skill: str = "") -> Attempt:
    practice = {"student": student, "mode": Attempt.Mode.PRACTICE, "quiz": quiz, "skill": skill}
    running = Attempt.objects.open().filter(**practice)
    if found := running.first():
        return found
    attempt = None
    while attempt is None:
        # Drawing may take a moment, so it happens before the transaction.
        variants = pick_for_practice(student=student, kinds=variant_kinds(slots))
        with transaction.atomic():
            lock_student(student)
            if found := running.first():
                return found
            if quiz:
                lock_slots(quiz, slots)
            if lock_variants(variants):
                attempt = _begin(slots, variants, practice)
    return attempt


def _begin(
    slots: Sequence[Slot], variants: Sequence[Variant], practice: Mapping[str, Any]
) -> Attempt:
    student, quiz = practice["student"], practice["quiz"]
    exams = graded_attempts(student)
    items = build_items(student, slots, variants=variants, exams=exams, quiz=quiz)
    if not items:
        raise NotOpen(_("There’s nothing left to practise here."))
    number = Attempt.objects.filter(**practice).count() + 1
    attempt = Attempt.objects.create(
        **practice, number=number, out_of=sum(item.points for item in items)
    )
    insert_items(attempt, items)
    return attempt


def check_item(
    *, attempt: Attempt, position: int, save: Save | None = None, key: str = ""
) -> Submission:
    """Freeze the draft of one practice item into an answer that waits to be marked.

    `save` is saved first, as by `save_draft`. The same key again returns the same submission, and
    so does the same answer as the last time.

    Raises:
        NotOpen: this is no practice, or an exam asks the same question or may ask it.
        NothingTyped: the item is as it was given out.
        Unreadable: an entry is no number, so it would count as wrong.
        Outdated: another save came first.
        Item.DoesNotExist: there is no such position.
    """
    now = timezone.now()
    with transaction.atomic():
        locked, item = _lock_practice_item(attempt, position, now)
        same = Submission.objects.filter(item=item, key=key[:64]).first() if key else None
        if same:
            return same
        if save:
            apply_save(item, save, now)
        if not is_begun(item.asked, item.draft):
            raise NothingTyped(_("There’s nothing to check yet. Enter or choose an answer first."))
        if field := problems.unreadable_field(item.asked, item.draft):
            raise Unreadable(field)
        raw = nest(item.asked, item.draft)
        answers = Answer.objects.filter(submission__item=item).select_related("submission")
        last = answers.order_by("submission__number").last()
        if last and last.raw == raw:
            return last.submission
        submission = Submission.objects.create(
            attempt=locked,
            item=item,
            number=last.submission.number + 1 if last else 1,
            key=key[:64],
            received_at=now,
        )
        Answer.objects.create(submission=submission, item=item, raw=raw)
    return submission


def take_hint(*, attempt: Attempt, position: int, step: str = "") -> Item:
    """Record the next hint on the first unfinished step, or on `step` where none is.

    Raises:
        NotOpen: this is no practice, the item is a concept question, or its content is secret now.
        Item.DoesNotExist: there is no such position.
    """
    with transaction.atomic():
        _locked, item = _lock_practice_item(attempt, position, timezone.now())
        if is_choice(item.asked):
            raise NotOpen(_("There are no hints on this question."))
        at_hand = next_step(item.asked, item.draft, step)
        return _record_help(item, add_hint(item.hints, at_hand))


def show_solution(*, attempt: Attempt, position: int) -> Item:
    """Record that the student sees the solution of an item, whatever has been typed.

    Raises:
        NotOpen: this is no practice, or the item's content is secret now.
        Item.DoesNotExist: there is no such position.
    """
    with transaction.atomic():
        _locked, item = _lock_practice_item(attempt, position, timezone.now())
        return _record_help(item, (item.hints or {}) | {SOLUTION: 1})


def _record_help(item: Item, hints: dict[str, int]) -> Item:
    item.hints = hints
    item.helped_at = item.helped_at or timezone.now()
    item.save(update_fields=["hints", "helped_at"])
    return item


def replace_variant(*, attempt: Attempt, position: int) -> Item:
    """Ask new numbers, or another question, in this item's place; the old item stays behind it.

    A concurrent second request gets the new item of the first.

    Raises:
        NotOpen: this is no practice, or there is nothing new to ask.
        Item.DoesNotExist: there is no such position.
    """
    old = Item.objects.select_related("slot", "variant").get(attempt=attempt, position=position)
    new = None
    while new is None:
        new = _replace_once(attempt, old)
    return new


def _replace_once(attempt: Attempt, old: Item) -> Item | None:
    """Return the new item, or None if the picked variant has just been withdrawn."""
    slots = [_slot_like(old, old.slot.family_version if old.slot else None)]
    if closed_problems(attempt.student, [slots[0].family]):
        raise NotOpen(_("You can’t practise this problem any more. Practise something else."))
    variants = pick_for_practice(student=attempt.student, kinds=variant_kinds(slots))
    with transaction.atomic():
        locked = _lock_practice(attempt)
        items = Item.objects.filter(attempt=locked)
        if later := items.filter(place=old.place, position__gt=old.position).last():
            return later
        if not lock_variants(variants):
            return None
        exams, quiz = graded_attempts(attempt.student), attempt.quiz
        (new,) = build_items(attempt.student, slots, variants=variants, exams=exams, quiz=quiz)
        position = items.aggregate(last=Max("position"))["last"] + 1
        return Item.objects.create(
            attempt=locked, position=position, place=old.place, **asdict(new)
        )


def _slot_for(skill: Skill) -> Slot:
    """Return an unsaved slot that asks for a skill, in no quiz."""
    return Slot(family=skill.key) if skill.is_numeric else Slot(topic=skill.key)


def _slot_like(item: Item, version: int | None = None) -> Slot:
    """Return an unsaved slot that asks the same as the item, whatever has changed since.

    A problem in rows is asked in this version, or in its newest one, at its usual sizes if it lost
    the item's.
    """
    asks = Slot(id=item.slot_id, points=item.points, family_version=version)
    if item.variant:
        asks.family, sizes = item.variant.family, item.variant.options
        offered = problems.sizes_of(asks.family, version)
        asks.options = sizes if all(sizes[name] in offered.get(name, ()) for name in sizes) else {}
    else:
        asks.topic = item.asked["topic"]
    return asks


def _lock_practice_item(attempt: Attempt, position: int, now: datetime) -> tuple[Attempt, Item]:
    """Lock the practice and return it with an item whose content is not secret now."""
    locked = _lock_practice(attempt)
    item = Item.objects.get(attempt=locked, position=position)
    if item.question_id in questions_hidden_in_practice(attempt.student, now):
        raise NotOpen(
            _(
                "This question is also in a quiz you’re taking. You can check it once that"
                " quiz has been marked."
            )
        )
    return locked, item


def _lock_practice(attempt: Attempt) -> Attempt:
    # Otherwise an exam could begin to ask the question whose answer is being revealed.
    lock_student(attempt.student)
    locked = Attempt.objects.select_for_update().get(pk=attempt.pk)
    if not (locked.is_practice and locked.is_open):
        raise NotOpen(_("This isn’t open for practice."))
    return locked
