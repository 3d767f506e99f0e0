"""The items of an attempt: what its slots ask for, and the questions that are picked for them."""

import secrets
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any
from uuid import UUID

from django.contrib.auth import get_user_model
from django.db.models import Max
from django.utils import timezone
from django.utils.translation import gettext as _

from quizzes import problems
from quizzes.models import Attempt, ConceptQuestion, Item, Slot, Variant, Wording
from quizzes.models.wordings import wording_key
from quizzes.queries import (
    PRACTISED,
    explained_questions,
    secret_questions,
    topic_titles,
)
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
            item.question = question
            wordings.append(_wording_of(question))
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
    for item in items:
        item.attempt = attempt
    Item.objects.bulk_create(items)


def keep_wordings(wordings: Iterable[Mapping[str, Any]]) -> list[UUID]:
    """Store those that are new; the keys of all, in the order given."""
    wordings = list(wordings)
    keys = [wording_key(each) for each in wordings]
    said = dict(zip(keys, wordings, strict=True))
    known = set(Wording.objects.filter(pk__in=said).values_list("pk", flat=True))
    # In one order, so that two who keep the same never wait for each other.
    new = sorted(said.keys() - known)
    Wording.objects.bulk_create(
        (Wording(pk=key, data=said[key]) for key in new), ignore_conflicts=True
    )
    Wording.objects.have_at_hand(said)
    return keys


def lock_student(student) -> None:
    """Let this student begin one thing at a time, until the transaction ends."""
    people = get_user_model().objects.select_for_update(no_key=True)
    people.values_list("pk").get(pk=student.pk)


def _pick_questions(
    student, slots: Iterable[Slot], exams: Sequence[Attempt], *, in_practice: bool
) -> list[ConceptQuestion | None]:
    """A question for each slot that asks for a topic, none twice; None where none is left.

    First comes what has not been explained to this student, then what they saw longest ago.
    Practice asks nothing that is reserved for exams, or that must not be told now.
    """
    now = timezone.now()
    secret = secret_questions(exams, now)
    explained = explained_questions(student, now, exams)
    seen = Item.objects.filter(attempt__student=student, question__isnull=False)
    last_seen = dict(seen.values_list("question").annotate(Max("pk")))
    topics = [slot.topic for slot in slots if slot.topic]
    found = ConceptQuestion.objects.filter(topic__in=set(topics), published=True)
    if in_practice:
        found = found.filter(**PRACTISED).exclude(pk__in=secret)
    ranked = defaultdict(list)
    for pk, topic in found.values_list("pk", "topic"):
        ranked[topic].append(((pk in secret, pk in explained, last_seen.get(pk, 0)), pk))
    picked = [_pick(ranked[topic]) for topic in topics]
    questions = ConceptQuestion.objects.prefetch_related("choices").in_bulk(
        [pk for pk in picked if pk]
    )
    return [questions.get(pk) for pk in picked]


def _pick(ranked: list[tuple[tuple[bool, bool, int], int]]) -> int | None:
    """Take one of those with the lowest rank out of the list."""
    if not ranked:
        return None
    first = min(rank for rank, _pk in ranked)
    ranked.remove(picked := secrets.choice([each for each in ranked if each[0] == first]))
    return picked[1]


def _wording_of(question: ConceptQuestion) -> dict[str, Any]:
    choices = [
        {
            "key": choice.key,
            "text": choice.text,
            "correct": choice.correct,
            "feedback": choice.feedback,
        }
        for choice in question.choices.all()
    ]
    return problems.question_wording(
        key=question.key,
        topic=question.topic,
        prompt=question.prompt,
        explanation=question.explanation,
        choices=choices,
    )


def _shuffled(choices: int) -> str:
    return problems.order_of(secrets.SystemRandom().sample(range(choices), choices))
