"""Duplicates a quiz, so that the copy can be changed."""

import re
from itertools import count
from typing import Any

from django.db import transaction

from quizzes.authoring.services.quizzes import save_quiz
from quizzes.authoring.services.slots import write_slots
from quizzes.models import Quiz, Sitting, Slot
from sharing.services import add_owner

# The rules of the own sitting that are copied; dates are not.
COPIED_FIELDS = ("open_to_all", "minutes", "attempts_allowed", "counts", "practice", "release")
# The number at the end of a copy's slug, and the room that it takes.
_NUMBER = re.compile("-[0-9]{1,2}$")
_ROOM = 4


@transaction.atomic
def duplicate_quiz(*, quiz: Quiz, by: Any) -> Quiz:
    """Return a draft that asks the same and belongs to the user who copied it."""
    copy = Quiz(
        lesson=quiz.lesson,
        slug=_free_slug(quiz.slug),
        title=quiz.title,
        introduction=quiz.introduction,
        pass_mark=quiz.pass_mark,
    )
    copy.save()
    add_owner(row=copy, user=by)
    rules = {name: getattr(quiz.own_sitting, name) for name in COPIED_FIELDS}
    save_quiz(quiz=copy, sitting=Sitting(**rules))
    slots = [
        Slot(
            family=slot.family,
            family_version=slot.family_version,
            options=slot.options,
            topic=slot.topic,
            points=slot.points,
        )
        for slot in quiz.slots.order_by("position")
    ]
    write_slots(quiz=copy, wanted=slots)
    return copy


def _free_slug(slug: str) -> str:
    room = (Quiz._meta.get_field("slug").max_length or 0) - _ROOM
    stem = _NUMBER.sub("", slug)[:room]
    taken = set(Quiz.objects.filter(slug__startswith=stem).values_list("slug", flat=True))
    return next(found for number in count(2) if (found := f"{stem}-{number}") not in taken)
