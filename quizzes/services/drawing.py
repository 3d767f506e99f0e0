"""The items of an attempt: what its slots ask for, and the questions that are picked for them."""

import secrets
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from django.contrib.auth import get_user_model
from django.db.models import Max
from django.utils import timezone
from django.utils.translation import gettext as _

from quizzes import problems
from quizzes.models import Attempt, ConceptQuestion, Item, Slot, Variant
from quizzes.queries import PRACTISED, explained_questions, secret_questions, topic_titles
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
    student, slots: Iterable[Slot], *, variants: Iterable[Variant], in_practice: bool = False
) -> list[Item]:
    """An item for each slot, not yet saved, with the next variant or a question.

    To be called in the transaction that asks them, with the student locked: what is picked for an
    exam and for practice at once would not know of each other.

    Practice leaves out what there is no question for.

    Raises:
        NotOpen: there is no question left to ask.
    """
    variants = iter(variants)
    slots = list(slots)
    questions = iter(_pick_questions(student, slots, in_practice=in_practice))
    items: list[Item] = []
    for slot in slots:
        item = Item(slot=slot if slot.pk else None, points=slot.points)
        if slot.family:
            item.variant = next(variants)
            item.shown = problems.shown_variant(vars(item.variant))
        elif question := next(questions):
            item.question = question
            item.shown = _shown_question(question)
        elif in_practice and len(slots) > 1:
            continue
        else:
            words = _("There is no question left to ask about “%(topic)s”.")
            raise NotOpen(words % {"topic": topic_titles().get(slot.topic, slot.topic)})
        items.append(item)
    for place, item in enumerate(items, start=1):
        item.position = item.place = place
    return items


def add_items(attempt: Attempt, items: Sequence[Item]) -> None:
    """Give an attempt its items, in the transaction that begins it."""
    for item in items:
        item.attempt = attempt
    Item.objects.bulk_create(items)


def lock_student(student) -> None:
    """Let this student begin one thing at a time, until the transaction ends."""
    get_user_model().objects.select_for_update(no_key=True).get(pk=student.pk)


def _pick_questions(
    student, slots: Iterable[Slot], *, in_practice: bool
) -> Iterator[ConceptQuestion | None]:
    """A question for each slot that asks for a topic, none twice; None where none is left.

    First comes what has not been explained to this student, then what they saw longest ago.
    Practice asks nothing that is reserved for exams, or that must not be told now.
    """
    now = timezone.now()
    secret = secret_questions(student, now)
    explained = explained_questions(student, now)
    seen = Item.objects.filter(attempt__student=student, question__isnull=False)
    last_seen = dict(seen.values_list("question").annotate(Max("pk")))
    topics = [slot.topic for slot in slots if slot.topic]
    found = ConceptQuestion.objects.filter(topic__in=set(topics), published=True)
    if in_practice:
        found = found.filter(**PRACTISED).exclude(pk__in=secret)
    ranked = defaultdict(list)
    for question in found.prefetch_related("choices"):
        rank = (question.pk in secret, question.pk in explained, last_seen.get(question.pk, 0))
        ranked[question.topic].append((rank, question))
    for topic in topics:
        left = ranked[topic]
        if not left:
            yield None
            continue
        first = min(rank for rank, _question in left)
        left.remove(picked := secrets.choice([each for each in left if each[0] == first]))
        yield picked[1]


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
