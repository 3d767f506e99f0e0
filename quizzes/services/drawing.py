"""The items of an attempt: what its slots ask for, and the questions that are picked for them."""

import secrets
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any
from uuid import UUID

from django.contrib.auth import get_user_model
from django.db.models import QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _

from foundation.prepared import prepared
from quizzes import problems
from quizzes.models import Attempt, Choice, ConceptQuestion, Item, Slot, Variant, Wording
from quizzes.models.wordings import wording_key
from quizzes.queries import (
    explained_questions,
    last_asked,
    secret_questions,
    topic_titles,
)
from quizzes.services.bulk import insert_rows
from quizzes.services.errors import NotOpen


def kinds_of(slots: Iterable[Slot]) -> list[str]:
    """The kinds of variants that these slots ask for, in their order.

    Raises:
        NotOpen: a slot asks for what there is not.
    """
    try:
        return [problems.kind_of(slot.family, slot.options) for slot in slots if slot.family]
    except problems.UnknownKind as gone:
        words = _("This quiz cannot be drawn: %(trouble)s. Please tell its author.")
        raise NotOpen(words % {"trouble": gone}) from None


def new_items(
    student,
    slots: Iterable[Slot],
    *,
    variants: Iterable[Variant],
    exams: Sequence[Attempt],
    in_practice: bool = False,
) -> list[Item]:
    """An item for each slot, not yet saved, with the next variant or a question.

    To be called in the transaction that asks them, with the student locked: what is picked for an
    exam and for practice at once would not know of each other.

    Practice leaves out what there is no question for. `exams` are all that this student took.

    Raises:
        NotOpen: there is no question left to ask.
    """
    variants = iter(variants)
    slots = list(slots)
    questions = iter(_pick_questions(student, slots, exams, in_practice=in_practice))
    items: list[Item] = []
    wordings: list[dict[str, Any]] = []
    for slot in slots:
        item = Item(slot=slot if slot.pk else None, points=slot.points)
        if slot.family:
            item.variant = next(variants)
            wordings.append(problems.variant_wording(vars(item.variant)))
        elif question := next(questions):
            item.question_id, wording = question
            wordings.append(wording)
            item.order = _shuffled(len(wordings[-1]["choices"]))
        elif in_practice and len(slots) > 1:
            continue
        else:
            words = _("There is no question left to ask about “%(topic)s”.")
            raise NotOpen(words % {"topic": topic_titles().get(slot.topic, slot.topic)})
        items.append(item)
    keys = keep_wordings(wordings)
    for place, (item, key) in enumerate(zip(items, keys, strict=True), start=1):
        item.position = item.place = place
        item.wording_id = key
    return items


def add_items(attempt: Attempt, items: Sequence[Item]) -> None:
    """Give an attempt its items, in the transaction that begins it."""
    names = ("position", "place", "slot_id", "points", "variant_id", "question_id", "wording_id")
    names += ("order", "draft", "revision", "token", "flagged")
    columns = ["attempt", *(name.removesuffix("_id") for name in names)]
    rows = [[attempt.pk, *(getattr(item, name) for name in names)] for item in items]
    insert_rows(Item, columns, rows)


def keep_wordings(wordings: Iterable[Mapping[str, Any]]) -> list[UUID]:
    """Store those that are new; the keys of all, in the order given."""
    wordings = list(wordings)
    keys = [wording_key(each) for each in wordings]
    said = dict(zip(keys, wordings, strict=True))
    known = set(_known(list(said)))
    # In one order, so that two who keep the same never wait for each other.
    new = sorted(said.keys() - known)
    Wording.objects.bulk_create(
        (Wording(pk=key, data=said[key]) for key in new), ignore_conflicts=True
    )
    Wording.objects.have_at_hand(said)
    return keys


@prepared
def _known(keys: list[UUID]) -> QuerySet:
    return Wording.objects.filter(pk__in=keys).values_list("pk", flat=True)


def lock_student(student) -> None:
    """Let this student begin one thing at a time, until the transaction ends."""
    if not _locked(student.pk):
        raise get_user_model().DoesNotExist


@prepared
def _locked(student: int) -> QuerySet:
    people = get_user_model().objects.select_for_update(no_key=True)
    return people.filter(pk=student).values_list("pk", flat=True)


def _pick_questions(
    student, slots: Iterable[Slot], exams: Sequence[Attempt], *, in_practice: bool
) -> list[tuple[int, dict[str, Any]] | None]:
    """A question, and how it is asked, for each slot that asks for a topic, none twice; None where
    none is left.

    First comes what has not been explained to this student, then what they saw longest ago.
    Practice asks nothing that is reserved for exams, or that must not be told now.
    """
    now = timezone.now()
    secret = secret_questions(exams, now)
    explained = explained_questions(student, now, exams)
    last_seen = last_asked(student)
    topics = [slot.topic for slot in slots if slot.topic]
    ranked = defaultdict(list)
    for pk, topic, reserved in published_in(sorted(set(topics))):
        if not (in_practice and (reserved or pk in secret)):
            ranked[topic].append(((pk in secret, pk in explained, last_seen.get(pk, 0)), pk))
    picked = [_pick(ranked[topic]) for topic in topics]
    questions = worded([pk for pk in picked if pk])
    return [(pk, questions[pk]) if pk in questions else None for pk in picked]


@prepared
def published_in(topics: list[str]) -> QuerySet:
    published = ConceptQuestion.objects.filter(topic__in=topics, published=True)
    return published.order_by().values_list("pk", "topic", "reserved")


def _pick(ranked: list[tuple[tuple[bool, bool, int], int]]) -> int | None:
    """Take one of those with the lowest rank out of the list."""
    if not ranked:
        return None
    first = min(rank for rank, _pk in ranked)
    ranked.remove(picked := secrets.choice([each for each in ranked if each[0] == first]))
    return picked[1]


def worded(pks: list[int]) -> dict[int, dict[str, Any]]:
    """The wordings of these questions, by their primary keys."""
    choices: dict[int, list[dict[str, Any]]] = {pk: [] for pk in pks}
    for question, *columns in _choices(pks):
        choices[question].append(dict(zip(_OF_CHOICE, columns, strict=True)))
    return {
        pk: problems.question_wording(
            **dict(zip(_OF_QUESTION, columns, strict=True)), choices=choices[pk]
        )
        for pk, *columns in _questions(pks)
    }


_OF_QUESTION = ("key", "topic", "prompt", "explanation")
_OF_CHOICE = ("key", "text", "correct", "feedback")


@prepared
def _questions(pks: list[int]) -> QuerySet:
    asked = ConceptQuestion.objects.filter(pk__in=pks)
    return asked.order_by().values_list("pk", *_OF_QUESTION)


@prepared
def _choices(questions: list[int]) -> QuerySet:
    of_asked = Choice.objects.filter(question__pk__in=questions).order_by("order", "pk")
    return of_asked.values_list("question", *_OF_CHOICE)


def _shuffled(choices: int) -> str:
    return problems.order_of(secrets.SystemRandom().sample(range(choices), choices))
