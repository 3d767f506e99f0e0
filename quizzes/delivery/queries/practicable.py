"""The problems in rows that a user may practise: the site's, their own, those of their quizzes."""

from collections import defaultdict
from collections.abc import Collection, Iterable
from typing import Any

from django.db.models import Exists, OuterRef, Q
from django.utils import timezone

from quizzes.delivery.effective_settings import given_to
from quizzes.models import Sitting, Slot
from quizzes.written.loading import without_unreadable
from quizzes.written.queries import drawable_keys, is_written, readable_keys


def practicable_problems(user: Any, among: Iterable[str] | None = None) -> frozenset[str]:
    """Return the keys of the problems in rows that this user may practise, maybe a guest.

    Of these keys, or of all. The number of queries doesn't grow with them; there is none where
    nothing is published.
    """
    keys = drawable_keys(among)
    if not keys:
        return frozenset()
    found = readable_keys(user, keys)
    left = keys - found
    return found | _asked_of(user, left) if left and user.is_authenticated else found


def closed_problems(user: Any, families: Iterable[str]) -> frozenset[str]:
    """Return those of the families that are problems in rows which this user can't practise."""
    written = frozenset(filter(is_written, families))
    return written - practicable_problems(user, written)


def _asked_of(student: Any, keys: Collection[str]) -> set[str]:
    """Return those of the problems that are asked by a published quiz which has opened to them."""
    now = timezone.now()
    opened = Q(opens_at=None) | Q(opens_at__lte=now)
    to_all = Sitting.objects.filter(opened, quiz=OuterRef("quiz"), given_in="", open_to_all=True)
    slots = Slot.objects.filter(family__in=sorted(keys), quiz__published=True).order_by()
    found: set[str] = set()
    in_classes: dict[int, set[str]] = defaultdict(set)
    rows = slots.annotate(to_all=Exists(to_all)).values_list("quiz", "family", "to_all")
    for quiz, key, is_open in rows.distinct():
        (found if is_open else in_classes[quiz]).add(key)
    if in_classes:
        for settings in given_to(student):
            if settings.has_opened(now):
                found |= in_classes.get(settings.sitting.quiz_id, set())
    return set(without_unreadable(found))
