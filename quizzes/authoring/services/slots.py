"""Writing a quiz's slots. A slot that was asked is never edited, but retired and replaced."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from django.db import transaction
from django.db.models import F
from django.utils import timezone

from quizzes.authoring.services.pools import asked_slot_pks, freeze_pools, topics_of
from quizzes.authoring.services.publishing import find_obstacles
from quizzes.models import Quiz, Slot
from quizzes.written.queries import newest_of, outdated_slots

# All slots move up by this while positions are written, since positions are unique.
POSITION_OFFSET = 1000


@transaction.atomic
def write_slots(*, quiz: Quiz, wanted: Sequence[Slot]) -> int:
    """Make these the quiz's slots, in this order. Return how many were replaced by a new version.

    Slots without a row in force are new. One that names no version of a problem in rows gets the
    newest. Moving a slot makes no new version. A slot that is no longer wanted is retired, or
    deleted if nobody was asked it. Attempts that start meanwhile get either all the old slots or
    all the new ones. If a published quiz begins to ask about a topic, its pool is frozen.
    """
    published = Quiz.objects.select_for_update().get(pk=quiz.pk).published
    topics = topics_of(quiz)
    _name_versions(wanted)
    left = {slot.pk: slot for slot in Slot.objects.filter(quiz=quiz)}
    stored = [left.pop(slot.pk, None) for slot in wanted]
    pairs = list(zip(wanted, stored, strict=True))
    edited = [old for slot, old in pairs if old and old.asks != slot.asks]
    asked = asked_slot_pks([*edited, *left.values()])
    replaced = asked & {old.pk for old in edited}
    _retire_slots([*left, *replaced], asked)
    Slot.objects.filter(quiz=quiz).update(position=F("position") + POSITION_OFFSET)
    for position, (slot, old) in enumerate(pairs, start=1):
        if old is None or old.pk in replaced:
            slot.pk, slot._state.adding = None, True
        slot.quiz, slot.position, slot.retired_at = quiz, position, None
        slot.save()
    if published:
        freeze_pools(quiz=quiz, topics=topics_of(quiz) - topics)
    return len(replaced)


@dataclass(frozen=True)
class Taken:
    """The number of slots that ask a newer version of their problem, or why none can."""

    slots: int = 0
    troubles: Sequence[str] = ()


@transaction.atomic
def take_newest_versions(*, quiz: Quiz) -> Taken:
    """Make the quiz's slots ask the newest versions of their problems.

    Slots that were asked are replaced, so that attempts keep what they were asked. A published quiz
    stays as it is if it could not be published with those versions.
    """
    published = Quiz.objects.select_for_update().get(pk=quiz.pk).published
    slots = list(quiz.slots.order_by("position"))
    outdated = outdated_slots(slots)
    for slot, version in outdated:
        slot.family_version = version
    if outdated and published and (troubles := find_obstacles(quiz, slots, anew=False)):
        return Taken(troubles=troubles)
    if outdated:
        write_slots(quiz=quiz, wanted=slots)
    return Taken(slots=len(outdated))


def _name_versions(slots: Sequence[Slot]) -> None:
    newest = newest_of(slot.family for slot in slots if slot.family_version is None)
    for slot in slots:
        slot.family_version = slot.family_version or newest.get(slot.family)


def _retire_slots(pks: Collection[int], asked: Collection[int]) -> None:
    """Retire the slots that were asked, for the sake of their items, and delete the others."""
    slots = Slot.objects.filter(pk__in=pks)
    slots.filter(pk__in=asked).update(retired_at=timezone.now())
    slots.exclude(pk__in=asked).delete()
