"""Drawing the items of an attempt: variants and questions for its slots."""

import secrets
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator
from typing import Any

from django.db.models import Max
from django.utils.translation import gettext as _

from quizzes import problems
from quizzes.models import ConceptQuestion, Item, Slot
from quizzes.queries import topic_titles
from quizzes.services.errors import NotOpen
from quizzes.services.stocking import pick_variants


def new_items(student, slots: Iterable[Slot], *, barred: Collection[int] = ()) -> list[Item]:
    """An item for each slot, not yet saved: a variant new to the student, or a question.

    Questions that are barred are not asked.

    Raises:
        NotOpen: a slot asks for what there is not.
    """
    slots = list(slots)
    numeric = [slot for slot in slots if slot.family]
    try:
        kinds = [problems.kind_of(slot.family, slot.options) for slot in numeric]
    except problems.UnknownKind as gone:
        words = _("This quiz cannot be drawn: %(trouble)s. Please tell its author.")
        raise NotOpen(words % {"trouble": gone}) from None
    variants = iter(pick_variants(student=student, kinds=kinds))
    questions = _pick_questions(student, [slot.topic for slot in slots if slot.topic], barred)
    items = []
    for position, slot in enumerate(slots, start=1):
        item = Item(
            position=position,
            place=position,
            slot=slot if slot.pk else None,
            points=slot.points,
        )
        if slot.family:
            item.variant = next(variants)
            item.shown = problems.shown_variant(vars(item.variant))
        else:
            item.question = next(questions)
            item.shown = _shown_question(item.question)
        items.append(item)
    return items


def _pick_questions(
    student, topics: list[str], barred: Collection[int]
) -> Iterator[ConceptQuestion]:
    """A question for each topic, none twice; first those never seen, then those seen long ago."""
    seen = Item.objects.filter(attempt__student=student, question__isnull=False)
    last_seen = dict(seen.values_list("question").annotate(Max("pk")))
    by_topic = defaultdict(list)
    found = ConceptQuestion.objects.filter(topic__in=set(topics), published=True)
    for question in found.exclude(pk__in=barred).prefetch_related("choices"):
        by_topic[question.topic].append(question)
    for topic in topics:
        left = by_topic[topic]
        if not left:
            words = _("There is no question left to ask about “%(topic)s”.")
            raise NotOpen(words % {"topic": topic_titles().get(topic, topic)})
        longest_ago = min(last_seen.get(question.pk, 0) for question in left)
        fresh = [each for each in left if last_seen.get(each.pk, 0) == longest_ago]
        left.remove(picked := secrets.choice(fresh))
        yield picked


def _shown_question(question: ConceptQuestion) -> dict[str, Any]:
    choices = [
        {
            "key": choice.key,
            "text": choice.text,
            "correct": choice.correct,
            "feedback": choice.feedback,
        }
        for choice in question.choices.all()
    ]
    secrets.SystemRandom().shuffle(choices)
    return problems.shown_question(
        key=question.key,
        topic=question.topic,
        prompt=question.prompt,
        explanation=question.explanation,
        choices=choices,
    )
