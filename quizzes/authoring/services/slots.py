"""What a quiz asks for. What somebody was asked is never edited: another slot takes its place."""

from collections.abc import Collection, Sequence

from django.db import transaction
from django.db.models import F
from django.utils import timezone

from quizzes.authoring.services.pools import asked_slots, freeze_pools, topics_of
from quizzes.models import Quiz, Slot

# Where slots stand while others take their positions.
ASIDE = 1000


@transaction.atomic
def write_slots(*, quiz: Quiz, wanted: Sequence[Slot]) -> int:
    """Let the quiz have exactly these slots, in this order; return how many got a new version.

    Those that have no row in force are new. To move a slot makes no version of it. One that is
    wanted no more is retired, or deleted where nobody was asked it. Who starts meanwhile gets all
    slots as they were, or all as they are wanted. Where a published quiz begins to ask about a
    topic, its pool is frozen.
    """
    published = Quiz.objects.select_for_update().get(pk=quiz.pk).published
    topics = topics_of(quiz)
    left = {slot.pk: slot for slot in Slot.objects.filter(quiz=quiz)}
    stored = [left.pop(slot.pk, None) for slot in wanted]
    pairs = list(zip(wanted, stored, strict=True))
    edited = [old for slot, old in pairs if old and old.asks != slot.asks]
    asked = asked_slots([*edited, *left.values()])
    replaced = asked & {old.pk for old in edited}
    _take_away([*left, *replaced], asked)
    Slot.objects.filter(quiz=quiz).update(position=F("position") + ASIDE)
    for position, (slot, old) in enumerate(pairs, start=1):
        if old is None or old.pk in replaced:
            slot.pk, slot._state.adding = None, True
        slot.quiz, slot.position, slot.retired_at = quiz, position, None
        slot.save()
    if published:
        freeze_pools(quiz=quiz, topics=topics_of(quiz) - topics)
    return len(replaced)


def _take_away(pks: Collection[int], asked: Collection[int]) -> None:
    """Let a quiz show these slots no more; what was asked stays for its items."""
    slots = Slot.objects.filter(pk__in=pks)
    slots.filter(pk__in=asked).update(retired_at=timezone.now())
    slots.exclude(pk__in=asked).delete()
