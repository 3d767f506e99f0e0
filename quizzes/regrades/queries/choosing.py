"""The slots, families and questions of quizzes that were taken, for a new regrade to apply to."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import Count, Exists, OuterRef, Q, QuerySet

from quizzes.models import ConceptQuestion, Item, Report, Sitting, Slot, graded_condition

# The parts by which questions are gathered, as fields of an item.
_PARTS = ("slot", "variant__family", "question")


@dataclass(frozen=True)
class SittingParts:
    """The slots and the questions of one sitting, and how many open reports are on each.

    Attributes:
        positions: where each question was asked, by its key.
        reports: by the part of a scope, such as ("question", 12).
    """

    sitting: Sitting
    slots: Sequence[Slot]
    questions: Sequence[ConceptQuestion]
    positions: Mapping[int, Sequence[int]]
    reports: dict[tuple[str, Any], int]


def taken_sittings(sittings: QuerySet[Sitting]) -> QuerySet[Sitting]:
    """Return those sittings whose marks can be changed, with their quizzes, by title."""
    found = sittings.filter(graded_condition("attempts__")).distinct()
    return found.select_related("quiz").order_by("quiz__title", "given_in", "pk")


def asked_items(sittings: Collection[Sitting], *, every: bool = False) -> QuerySet[Item]:
    """Return the graded items of these sittings; with `every`, of all sittings of their quizzes."""
    asked = Item.objects.graded()
    if every:
        return asked.filter(attempt__quiz__in={sitting.quiz_id for sitting in sittings})
    return asked.filter(attempt__sitting__in=sittings)


def parts_of_sittings(
    sittings: Sequence[Sitting], *, every: bool = False, words: Sequence[str] = ()
) -> list[SittingParts]:
    """Return the slots and questions of each sitting, questions only if they have all `words`.

    With `every`, there is one sitting for each quiz, and all its quiz's sittings count.
    """
    asked = asked_items(sittings, every=every).order_by()
    by = "quiz_id" if every else "pk"
    owner = "attempt__quiz" if every else "attempt__sitting"
    wanted = Q()
    for word in words:
        wanted &= Q(prompt__icontains=word) | Q(key__icontains=word) | Q(topic__icontains=word)
    found = ConceptQuestion.every.filter(wanted, Exists(asked.filter(question=OuterRef("pk"))))
    questions = {each.pk: each for each in found.order_by("topic", "key", "version")}
    positions: dict[int, dict[int, list[int]]] = {}
    places = asked.filter(question__in=questions).order_by("position")
    for whose, question, position in places.values_list(owner, "question", "position").distinct():
        positions.setdefault(whose, {}).setdefault(question, []).append(position)
    used = Q(retired_at=None) | Exists(asked.filter(slot=OuterRef("pk")))
    quizzes = {sitting.quiz_id for sitting in sittings}
    slots = list(Slot.every.filter(used, quiz__in=quizzes).order_by("position", "pk"))
    reports = _open_reports(asked, owner)
    found_in = []
    for sitting in sittings:
        whose = getattr(sitting, by)
        at = positions.get(whose, {})
        own = [slot for slot in slots if slot.quiz_id == sitting.quiz_id]
        asked_there = [each for pk, each in questions.items() if pk in at]
        found_in.append(SittingParts(sitting, own, asked_there, at, reports.get(whose, {})))
    return found_in


def _open_reports(asked: QuerySet[Item], owner: str) -> dict[int, dict[tuple[str, Any], int]]:
    waiting = Report.objects.filter(answered_at=None, item__in=asked)
    columns = (f"item__{owner}", *(f"item__{part}" for part in _PARTS))
    counts: dict[int, dict[tuple[str, Any], int]] = {}
    for whose, *parts, count in waiting.order_by().values_list(*columns).annotate(Count("pk")):
        own = counts.setdefault(whose, {})
        for scope, part in zip(("slot", "family", "question"), parts, strict=True):
            if part is not None:
                own[scope, part] = own.get((scope, part), 0) + count
    return counts
