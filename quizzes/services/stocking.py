"""Variants drawn and proved ahead, and picked for a student."""

import secrets
import time
from collections import Counter, defaultdict
from collections.abc import Iterable

from django.conf import settings
from django.db.models import Count

from quizzes import problems
from quizzes.models import Item, Slot, Variant


def stock_variants(*, seconds: float = 8.0) -> int:
    """Draw variants until every kind that a published quiz asks for has its stock.

    A student who has seen all of it gets one drawn at once. Stops after so many seconds, the
    emptiest kinds first, and returns how many were drawn. Two workers at once draw different
    variants, because every seed is new.
    """
    until = time.monotonic() + seconds
    slots = Slot.objects.filter(quiz__published=True).exclude(family="")
    wanted = {
        problems.kind_of(slot.family, slot.options)
        for slot in slots
        if _is_known(slot.family, slot.options)
    }
    counted = Variant.objects.filter(kind__in=wanted).values_list("kind").annotate(Count("pk"))
    stock = Counter(dict(counted))
    drawn = 0
    while wanted and time.monotonic() < until:
        kind = min(wanted, key=lambda kind: stock[kind])
        if stock[kind] >= settings.VARIANTS_IN_STOCK:
            break
        draw_variant(kind=kind)
        stock[kind] += 1
        drawn += 1
    return drawn


def draw_variant(*, kind: str) -> Variant:
    """Draw, prove and keep one new variant of this kind."""
    return Variant.objects.create(**problems.draw_variant(kind, secrets.token_hex(16)))


def pick_variants(*, student, kinds: Iterable[str]) -> list[Variant]:
    """One variant for each kind, none of which this student has seen, none twice.

    The choice is made by a cryptographic source, so that nothing about a student, an attempt or
    the time predicts it. A kind whose stock this student has used up is drawn at once.
    """
    kinds = list(kinds)
    seen = Item.objects.filter(attempt__student=student, variant__isnull=False)
    unseen = (
        Variant.objects.filter(kind__in=set(kinds))
        .exclude(pk__in=seen.values("variant"))
        .values_list("kind", "pk")
    )
    ready = defaultdict(list)
    for kind, pk in unseen:
        ready[kind].append(pk)
    picked: list[int] = []
    for kind in kinds:
        if not ready[kind]:
            ready[kind].append(draw_variant(kind=kind).pk)
        picked.append(ready[kind].pop(secrets.randbelow(len(ready[kind]))))
    variants = Variant.objects.in_bulk(picked)
    return [variants[pk] for pk in picked]


def _is_known(family: str, options: dict) -> bool:
    try:
        problems.kind_of(family, options)
    except problems.UnknownKind:
        return False
    return True
