"""The items of an attempt: what its slots ask for, and which questions are picked for them."""

import secrets
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.contrib.auth import get_user_model
from django.db.models import QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _

from foundation.prepared import prepared
from quizzes import problems
from quizzes.authoring.queries import questions_to_ask, quiz_slots
from quizzes.bulk import insert_missing, insert_rows
from quizzes.delivery.queries.secrecy import explained_questions, last_asked, secret_questions
from quizzes.delivery.sql import lock_questions, lock_quiz
from quizzes.errors import NotOpen
from quizzes.items.queries import topic_titles
from quizzes.models import (
    AskedQuestion,
    Attempt,
    Choice,
    Item,
    Quiz,
    Sitting,
    Slot,
    Variant,
    Wording,
)
from quizzes.models.wordings import wording_key
from quizzes.written.queries import withdrawn_slots

_random = secrets.SystemRandom()


def variant_kinds(slots: Iterable[Slot]) -> list[str]:
    """Return the kinds of variants that these slots ask for, in order.

    Raises:
        NotOpen: a slot asks for something that does not exist, or that was withdrawn.
    """
    slots = list(slots)
    for slot in withdrawn_slots(slots):
        words = _(
            "“%(problem)s” was withdrawn, so this can’t be started at the moment. Please tell the"
            " quiz’s author."
        )
        raise NotOpen(words % {"problem": problems.family_title(slot.family, slot.family_version)})
    try:
        return [slot.kind for slot in slots if slot.family]
    except problems.UnknownKind as gone:
        words = _("We couldn’t prepare this quiz: %(trouble)s. Please tell its author.")
        raise NotOpen(words % {"trouble": gone}) from None


class SlotsChanged(Exception):
    """The quiz's slots have changed since they were read; the caller has to begin again."""


def lock_slots(quiz: Quiz, read: Sequence[Slot] | None = None) -> list[Slot]:
    """Lock the slots of a quiz until the transaction ends, and return them.

    Raises:
        SlotsChanged: they differ from those `read` before.
    """
    lock_quiz(quiz.pk)
    slots = quiz_slots(quiz)
    if read is not None and _asked_by(read) != _asked_by(slots):
        raise SlotsChanged
    return slots


def _asked_by(slots: Iterable[Slot]) -> list[tuple[int, tuple[Any, ...]]]:
    return [(slot.pk, slot.asks) for slot in slots]


@dataclass(slots=True)
class NewItem:
    """The columns of an item that is about to be asked."""

    slot_id: int | None
    points: int
    variant_id: int | None = None
    question_id: int | None = None
    wording_id: UUID | None = None
    order: str = ""


def build_items(
    student,
    slots: Iterable[Slot],
    *,
    variants: Iterable[Variant],
    exams: Sequence[Attempt],
    quiz: Quiz | None,
    sitting: Sitting | None = None,
    in_preview: bool = False,
) -> list[NewItem]:
    """Return an unsaved item for each slot, with the next variant or a picked question.

    To be called in the transaction that asks them, with the student locked, or questions picked at
    once for an exam and for practice would not take account of each other.

    `exams` are all that this student took; `sitting` is where they are asked now, None in practice
    and previews. `quiz` is the one whose pools questions are picked from. Practice leaves out slots
    without a question; a preview asks what exams may, and is not recorded.

    Raises:
        NotOpen: there is no question left to ask.
    """
    variants = iter(variants)
    slots = list(slots)
    asks_all = sitting is not None or in_preview
    questions = iter(_pick_questions(student, slots, exams, quiz, sitting, asks_all=asks_all))
    items: list[NewItem] = []
    wordings: list[dict[str, Any]] = []
    for slot in slots:
        item = NewItem(slot.pk, slot.points)
        if slot.family:
            variant = next(variants)
            item.variant_id = variant.pk
            wordings.append(problems.variant_wording(vars(variant)))
        elif question := next(questions):
            item.question_id, wording = question
            wordings.append(wording)
            item.order = _shuffled(len(wordings[-1]["choices"]))
        elif not asks_all and len(slots) > 1:
            continue
        else:
            words = (
                _("There are no questions left on “%(topic)s”. Please tell the quiz’s author.")
                if asks_all
                else _("There are no questions left on “%(topic)s”. Practise something else.")
            )
            raise NotOpen(words % {"topic": topic_titles().get(slot.topic, slot.topic)})
        items.append(item)
    for item, key in zip(items, store_wordings(wordings), strict=True):
        item.wording_id = key
    return items


def insert_items(attempt: Attempt, items: Iterable[NewItem]) -> None:
    """Insert an attempt's items, in the transaction that begins it."""
    asked = ("slot_id", "points", "variant_id", "question_id", "wording_id", "order")
    typed = ("draft", "revision", "token", "flagged")
    untouched = Item()
    nothing = [getattr(untouched, name) for name in typed]
    rows = [
        [attempt.pk, place, place, *(getattr(item, name) for name in asked), *nothing]
        for place, item in enumerate(items, start=1)
    ]
    columns = ("attempt", "position", "place", *(name.removesuffix("_id") for name in asked))
    insert_rows(Item, (*columns, *typed), rows)


def store_wordings(wordings: Iterable[Mapping[str, Any]]) -> list[UUID]:
    """Store the wordings that are new. Return the keys of all, in order."""
    wordings = list(wordings)
    keys = [wording_key(each) for each in wordings]
    by_key = dict(zip(keys, wordings, strict=True))
    known = set(Wording.objects.filter(pk__in=by_key).values_list("pk", flat=True))
    # Sorted, so that two transactions never deadlock.
    new = sorted(by_key.keys() - known)
    insert_missing(Wording, ("id", "data"), [(key, by_key[key]) for key in new])
    Wording.objects.cache(by_key)
    return keys


def lock_student(student) -> None:
    """Lock the student's row until the transaction ends, so that they begin one thing at a time."""
    if not _locked(student):
        raise get_user_model().DoesNotExist


@prepared
def _locked(student) -> QuerySet:
    people = get_user_model().objects.select_for_update(no_key=True)
    return people.filter(pk=student).values_list("pk", flat=True)


def _pick_questions(
    student,
    slots: Iterable[Slot],
    exams: Sequence[Attempt],
    quiz: Quiz | None,
    sitting: Sitting | None,
    *,
    asks_all: bool,
) -> list[tuple[int, dict[str, Any]] | None]:
    """Return a question and its wording for each slot with a topic; None if none is left.

    No question comes twice. First come those not yet explained to this student, then those they saw
    longest ago. Practice leaves out questions that are reserved for exams, or secret now.
    """
    now = timezone.now()
    secret = secret_questions(student, now)
    last_seen = last_asked(student)
    # Students who were never asked anything have had nothing explained.
    explained = explained_questions(student, now, exams) if last_seen else set()
    topics = [slot.topic for slot in slots if slot.topic]
    ranked = defaultdict(list)
    for pk, topic, key, reserved in questions_to_ask(topics, quiz):
        if asks_all or not (reserved or pk in secret):
            ranked[topic].append(((pk in secret, key in explained, last_seen.get(key, 0)), pk))
    picked = [_pick(ranked[topic]) for topic in topics]
    if sitting:
        record_asked_questions((sitting.pk, pk) for pk in picked if pk)
    questions = lock_wordings([pk for pk in picked if pk])
    return [(pk, questions[pk]) if pk in questions else None for pk in picked]


def record_asked_questions(pairs: Iterable[tuple[int, int]]) -> None:
    """Record which questions are asked at which sittings, in the transaction that asks them.

    They are kept from practice until results are shown (`queries.secret_questions`).
    """
    wanted = set(pairs)
    known = set(_asked_at(*(list(keys) for keys in zip(*wanted, strict=True)))) if wanted else set()
    # Sorted, so that two transactions never deadlock.
    insert_missing(AskedQuestion, ("sitting", "question"), sorted(wanted - known))


@prepared
def _asked_at(sittings: list[int], questions: list[int]) -> QuerySet:
    asked = AskedQuestion.objects.filter(sitting__pk__in=sittings, question__pk__in=questions)
    return asked.order_by().values_list("sitting", "question")


def _pick(ranked: list[tuple[tuple[bool, bool, int], int]]) -> int | None:
    """Remove one of those with the lowest rank from the list, and return it."""
    if not ranked:
        return None
    first = min(rank for rank, _pk in ranked)
    ranked.remove(picked := secrets.choice([each for each in ranked if each[0] == first]))
    return picked[1]


def lock_wordings(pks: list[int]) -> dict[int, dict[str, Any]]:
    """Return the wordings of these questions by pk, in the transaction that asks them."""
    questions = lock_questions(pks)
    choices: dict[int, list[dict[str, Any]]] = {pk: [] for pk in pks}
    for question, *columns in _choices(pks):
        choices[question].append(dict(zip(_OF_CHOICE, columns, strict=True)))
    return {
        pk: problems.question_wording(
            **dict(zip(_OF_QUESTION, columns, strict=True)), choices=choices[pk]
        )
        for pk, *columns in questions
    }


_OF_QUESTION = ("key", "topic", "prompt", "explanation")
_OF_CHOICE = ("key", "text", "correct", "feedback")


@prepared
def _choices(questions: list[int]) -> QuerySet:
    of_asked = Choice.objects.filter(question__pk__in=questions).order_by("order", "pk")
    return of_asked.values_list("question", *_OF_CHOICE)


def _shuffled(choices: int) -> str:
    return problems.order_of(_random.sample(range(choices), choices))
