"""The pools of a published quiz: the frozen questions on each topic that it may ask.

A question published later is asked once the pools are frozen again; one that is withdrawn, or moved
to another topic, is no longer asked at once. A pool holds questions by their keys, and so always
their current versions.
"""

from collections import Counter
from collections.abc import Collection, Iterable
from dataclasses import dataclass

from django.db import transaction
from django.db.models import Exists, OuterRef

from quizzes.authoring.queries import askable_questions, freezable_questions
from quizzes.models import ConceptQuestion, Item, PooledQuestion, Quiz, Slot


@dataclass(frozen=True)
class PoolChange:
    """The changes that freezing a pool again would make.

    Attributes:
        kept: the questions in it that stay.
        added: the questions that would be added.
        left_out: the keys of questions that would be removed; they are not asked even now.
    """

    topic: str
    kept: tuple[ConceptQuestion, ...]
    added: tuple[ConceptQuestion, ...]
    left_out: tuple[str, ...]

    @property
    def changes(self) -> bool:
        """Whether freezing has an effect. It empties no pool: withdrawn questions are not asked."""
        return bool(self.added or (self.kept and self.left_out))


def pool_changes(quiz: Quiz, topics: Collection[str] | None = None) -> list[PoolChange]:
    """Return what freezing a quiz's pools would change now, by topic; by default all its topics."""
    wanted = sorted(topics_of(quiz) if topics is None else topics)
    frozen: dict[str, set[str]] = {topic: set() for topic in wanted}
    for topic, key in PooledQuestion.objects.filter(quiz=quiz, topic__in=wanted).values_list(
        "topic", "key"
    ):
        frozen[topic].add(key)
    found: dict[str, list[ConceptQuestion]] = {topic: [] for topic in wanted}
    for question in freezable_questions(wanted, quiz).order_by("key"):
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
    """Return the topics that the slots of a quiz ask for."""
    return set(quiz.slots.exclude(topic="").order_by().values_list("topic", flat=True))


@transaction.atomic
def freeze_pools(*, quiz: Quiz, topics: Collection[str] | None = None) -> list[PoolChange]:
    """Freeze the published questions that the quiz's owners may read. Return what has changed.

    `topics` limits it to some of the quiz's topics.
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
def freeze_unasked_pools(*, quiz: Quiz) -> None:
    """Freeze the pools again of topics on which no slot of the quiz was asked yet.

    And of those that have fewer questions left than slots, since nobody could start the quiz.
    """
    Quiz.objects.select_for_update().get(pk=quiz.pk)
    slots = Slot.every.filter(quiz=quiz).exclude(topic="")
    asked = asked_slot_pks(slots)
    asked_of = {slot.topic for slot in slots if slot.pk in asked}
    needed = Counter(quiz.slots.filter(topic__in=asked_of).values_list("topic", flat=True))
    left = Counter(askable_questions(list(needed), quiz).values_list("topic", flat=True))
    kept = {topic for topic in needed if left[topic] >= needed[topic]}
    freeze_pools(quiz=quiz, topics=topics_of(quiz) - kept)


def asked_slot_pks(slots: Iterable[Slot]) -> set[int]:
    """Return the primary keys of those of these slots that were asked."""
    asked = Exists(Item.objects.filter(slot=OuterRef("pk")))
    rows = Slot.every.filter(asked, pk__in=[slot.pk for slot in slots])
    return set(rows.values_list("pk", flat=True))
