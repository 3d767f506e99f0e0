"""The pools of a published quiz: the questions on each topic that it may ask, until somebody says
otherwise.

A question that is published later is asked once the pools are frozen again; one that is withdrawn,
or gets another topic, is not asked any more at once. A pool names questions by their keys, so that
it holds their current versions, whichever those are.
"""

from collections.abc import Collection, Iterable
from dataclasses import dataclass

from django.db import transaction
from django.db.models import Exists, OuterRef

from quizzes.authoring.queries import freezable
from quizzes.models import ConceptQuestion, Item, PooledQuestion, Quiz, Slot


@dataclass(frozen=True)
class PoolChange:
    """What freezing a pool again would do.

    Attributes:
        kept: the questions that are in it, and stay.
        added: those that would come in.
        left_out: the keys of those that would go; nobody is asked them as it is.
    """

    topic: str
    kept: tuple[ConceptQuestion, ...]
    added: tuple[ConceptQuestion, ...]
    left_out: tuple[str, ...]

    @property
    def changes(self) -> bool:
        """No pool is left empty: as it is, what was withdrawn is not asked either."""
        return bool(self.added or (self.kept and self.left_out))


def pool_changes(quiz: Quiz, topics: Collection[str] | None = None) -> list[PoolChange]:
    """What freezing the pools of a quiz would change now, topic by topic, those of its slots."""
    wanted = sorted(topics_of(quiz) if topics is None else topics)
    frozen: dict[str, set[str]] = {topic: set() for topic in wanted}
    for topic, key in PooledQuestion.objects.filter(quiz=quiz, topic__in=wanted).values_list(
        "topic", "key"
    ):
        frozen[topic].add(key)
    found: dict[str, list[ConceptQuestion]] = {topic: [] for topic in wanted}
    for question in freezable(wanted, quiz).order_by("key"):
        found[question.topic].append(question)
    return [
        PoolChange(
            topic=topic,
            kept=tuple(each for each in found[topic] if each.key in frozen[topic]),
            added=tuple(each for each in found[topic] if each.key not in frozen[topic]),
            left_out=tuple(sorted(frozen[topic] - {each.key for each in found[topic]})),
        )
        for topic in wanted
    ]


def topics_of(quiz: Quiz) -> set[str]:
    """The topics that the slots of a quiz ask for."""
    return set(quiz.slots.exclude(topic="").order_by().values_list("topic", flat=True))


@transaction.atomic
def freeze_pools(*, quiz: Quiz, topics: Collection[str] | None = None) -> list[PoolChange]:
    """Let a quiz ask the questions that are published now and that its owners may read, on these
    topics or on all of its own; return what has changed.
    """
    Quiz.objects.select_for_update().get(pk=quiz.pk)
    changes = [change for change in pool_changes(quiz, topics) if change.changes]
    for change in changes:
        gone = PooledQuestion.objects.filter(quiz=quiz, topic=change.topic)
        gone.filter(key__in=change.left_out).delete()
    PooledQuestion.objects.bulk_create(
        PooledQuestion(quiz=quiz, topic=change.topic, key=question.key)
        for change in changes
        for question in change.added
    )
    return changes


@transaction.atomic
def freeze_unasked(*, quiz: Quiz) -> None:
    """Freeze again the pools of a quiz out of which nobody was asked anything yet."""
    Quiz.objects.select_for_update().get(pk=quiz.pk)
    slots = Slot.every.filter(quiz=quiz).exclude(topic="")
    asked = asked_slots(slots)
    asked_of = {slot.topic for slot in slots if slot.pk in asked}
    freeze_pools(quiz=quiz, topics=topics_of(quiz) - asked_of)


def asked_slots(slots: Iterable[Slot]) -> set[int]:
    """Those of these slots that somebody was asked, by their primary keys."""
    asked = Exists(Item.objects.filter(slot=OuterRef("pk")))
    rows = Slot.every.filter(asked, pk__in=[slot.pk for slot in slots])
    return set(rows.values_list("pk", flat=True))
