"""Variants: drawing and proving them in advance, and giving them to students.

An exam's numbers belong to one student: no other exam asks them while new ones can be drawn, and
practice draws from the other half of all numbers.
"""

import secrets
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from datetime import datetime, timedelta
from uuid import UUID

from django.conf import settings
from django.core.cache import caches
from django.db import IntegrityError, transaction
from django.db.models import Count, Exists, Max, OuterRef, QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _

from foundation.locking import lock_first
from quizzes import problems
from quizzes.authoring.queries import has_waiting_submissions, students
from quizzes.delivery.effective_settings import expected
from quizzes.delivery.sql import claim_unused
from quizzes.errors import NotOpen, NotReady
from quizzes.models import Item, Sitting, Slot, Variant
from quizzes.written.queries import withdrawn_slots

# How long a process caches that a kind has no new numbers left.
USED_UP_TIMEOUT = 3600
# No start in progress can still be about to give out a variant drawn this long ago.
MIN_IDLE_AGE = timedelta(days=1)
MAX_CLEARED = 5000
# Around its opening, a quiz has stock for every expected student, up to this many.
AROUND_OPENING = timedelta(hours=1)
MAX_STOCK_PER_OPENING = 1000


def stock_variants(*, seconds: float = 8.0) -> int:
    """Draw variants until every kind that a published quiz asks for has its stock for exams.

    It stops after so many seconds, or as soon as an answer waits to be marked; the emptiest kinds
    come first. Return how many were drawn. Two workers at once draw different variants, because
    every seed is new.
    """
    until = time.monotonic() + seconds
    wanted = _stock_wanted()
    stock = _stock_of(wanted)
    drawn = 0
    while wanted and time.monotonic() < until and not has_waiting_submissions():
        kind = min(wanted, key=lambda kind: stock[kind] / wanted[kind])
        if stock[kind] >= wanted[kind]:
            break
        if _draw(kind, for_exams=True) is None:
            del wanted[kind]
            continue
        stock[kind] += 1
        drawn += 1
    return drawn


def stock_levels() -> tuple[int, int]:
    """Return how many of the wanted variants for exams are in stock, and how many are wanted."""
    wanted = _stock_wanted()
    stock = _stock_of(wanted)
    return sum(min(stock[kind], count) for kind, count in wanted.items()), wanted.total()


def _stock_of(kinds: Iterable[str]) -> Counter[str]:
    counted = _unused().filter(kind__in=list(kinds)).values_list("kind").annotate(Count("pk"))
    return Counter(dict(counted))


def _stock_wanted() -> Counter[str]:
    """Return how many variants of each kind should be in stock: so many for each slot.

    Before and just after a quiz opens, one for each student who may come.
    """
    now = timezone.now()
    coming = expected(now)
    everybody = students().count()
    around_now = (now - AROUND_OPENING, now + AROUND_OPENING)
    opening = Sitting.objects.filter(opens_at__range=around_now, open_to_all=True)
    for quiz in opening.values_list("quiz", flat=True):
        coming[quiz] += everybody
    wanted: Counter[str] = Counter()
    for kind, quiz in _kinds_asked():
        ready = settings.VARIANTS_IN_STOCK
        wanted[kind] += max(ready, min(coming[quiz], MAX_STOCK_PER_OPENING))
    return wanted


def _kinds_asked() -> Iterator[tuple[str, int]]:
    """Yield the kinds that published quizzes ask for, once for each slot, with its quiz's key."""
    slots = list(Slot.objects.filter(quiz__published=True).exclude(family=""))
    withdrawn = {slot.pk for slot in withdrawn_slots(slots)}  # nobody can start those quizzes
    for slot in slots:
        if slot.pk not in withdrawn:
            with suppress(problems.UnknownKind):
                yield slot.kind, slot.quiz_id


def _unused() -> QuerySet[Variant]:
    """Return the variants that no exam has asked yet."""
    return Variant.objects.filter(
        for_exams=True, given_at=None, fingerprint__isnull=False, struck_at=None
    )


@transaction.atomic
def clear_stock() -> int:
    """Delete old unused variants that no published quiz asks for. Return how many.

    Withdrawn ones stay, so that they are not drawn again.
    """
    shown = Exists(Item.objects.filter(variant=OuterRef("pk")))
    idle = Variant.objects.filter(
        ~shown, given_at=None, struck_at=None, drawn_at__lt=timezone.now() - MIN_IDLE_AGE
    ).exclude(kind__in={kind for kind, _quiz in _kinds_asked()})
    cleared = Variant.objects.filter(pk__in=lock_first(idle, most=MAX_CLEARED))
    return cleared.delete()[1].get(Variant._meta.label, 0)


def draw_for_exams(*, lacking: Counter[str], until: float) -> bool:
    """Draw the variants that a start lacks, committing each. Return False if time ran out.

    Args:
        lacking: how many of each kind. One is drawn however late it is, so that asking often enough
            gets there.
        until: a time of the monotonic clock.
    """
    for kind in lacking.elements():
        _draw(kind, for_exams=True)
        if time.monotonic() >= until:
            return False
    return True


def claim_variants(*, student, kinds: Iterable[str]) -> list[Variant]:
    """Give this student an unused variant of each kind, for good.

    To be called in the transaction that asks them. If a kind has no new numbers left, those given
    longest ago are given again, first those that this student has not had.

    Raises:
        NotReady: variants have to be drawn first; the transaction must be rolled back.
    """
    kinds = list(kinds)
    wanted = Counter(kinds)
    now = timezone.now()
    claimed: dict[str, list[Variant]] = {kind: [] for kind in wanted}
    for variant in claim_unused(wanted, now) if wanted else ():
        claimed[variant.kind].append(variant)
    lacking: Counter[str] = Counter()
    for kind, count in wanted.items():
        if count > len(claimed[kind]) and caches["local"].get(_used_up(kind, for_exams=True)):
            missing = count - len(claimed[kind])
            claimed[kind] += _claim_again(student, kind, missing, claimed[kind], now)
        # Possible even for used-up kinds, if other starts have locked all of their variants.
        if count > len(claimed[kind]):
            lacking[kind] = count - len(claimed[kind])
    if lacking:
        raise NotReady(lacking, wanted.total())
    return [claimed[kind].pop() for kind in kinds]


def _used_up(kind: str, *, for_exams: bool) -> str:
    return f"used-up:{for_exams:d}:{kind}".replace(" ", "")


def _claim_again(
    student, kind: str, count: int, claimed: list[Variant], now: datetime
) -> list[Variant]:
    """Return as many of the variants given longest ago, some of them twice if there are too few."""
    just_claimed = [variant.pk for variant in claimed]
    used = Variant.objects.filter(
        kind=kind, for_exams=True, given_at__isnull=False, fingerprint__isnull=False, struck_at=None
    ).exclude(pk__in=just_claimed)
    if not (claimed or used.exists()):
        raise NotOpen(_("There are no numbers left for this quiz. Please tell its author."))
    had = Item.objects.filter(variant=OuterRef("pk"), attempt__student=student)
    oldest = used.annotate(had=Exists(had)).order_by("had", "given_at", "pk")
    found = [*lock_first(oldest, most=count), *just_claimed]
    picked = (found * count)[:count]
    Variant.objects.filter(pk__in=picked).update(given_at=now)
    return _in_order(picked)


def pick_for_practice(*, student, kinds: Iterable[str]) -> list[Variant]:
    """Pick a variant of each kind that this student has not seen, none of them twice.

    They may be asked if `lock_variants` confirms them then. If the student has seen all of a kind,
    one is drawn at once; if there are no new numbers either, it is the one seen longest ago.
    """
    seen = Item.objects.filter(attempt__student=student, variant__isnull=False)
    last_seen = dict(seen.values_list("variant").annotate(Max("pk")))
    picked: list[int] = []
    for kind in kinds:
        shared = Variant.objects.filter(
            kind=kind, for_exams=False, fingerprint__isnull=False, struck_at=None
        )
        left = [pk for pk in shared.values_list("pk", flat=True) if pk not in picked]
        unseen = [pk for pk in left if pk not in last_seen]
        if unseen:
            picked.append(secrets.choice(unseen))
        elif drawn := _draw(kind, for_exams=False):
            picked.append(drawn.pk)
        elif left:
            picked.append(min(left, key=lambda pk: last_seen[pk]))
        else:
            raise NotOpen(_("There are no numbers left for this. Practise something else."))
    return _in_order(picked)


def lock_variants(variants: Iterable[Variant]) -> bool:
    """Lock variants against withdrawal. Return whether none of them is withdrawn already.

    The lock lasts until the end of the transaction that gives them.
    """
    picked = {variant.pk for variant in variants}
    still = Variant.objects.filter(pk__in=picked, struck_at=None).order_by("pk")
    return len(still.select_for_update(no_key=True).values_list("pk")) == len(picked)


def _in_order(pks: list[int]) -> list[Variant]:
    variants = Variant.objects.in_bulk(pks)
    return [variants[pk] for pk in pks]


def _draw(kind: str, *, for_exams: bool) -> Variant | None:
    """Draw, prove and save a variant with new numbers; None if none are left."""
    used_up = _used_up(kind, for_exams=for_exams)
    while not caches["local"].get(used_up):
        columns = problems.draw_variant(
            kind, secrets.token_hex(8), for_exams=for_exams, is_known=_is_known_in(kind)
        )
        if columns is None:
            caches["local"].set(used_up, True, USED_UP_TIMEOUT)
            break
        try:
            with transaction.atomic():
                return Variant.objects.create(**columns)
        except IntegrityError:
            continue  # Another worker has drawn the same numbers just now.
    return None


def _is_known_in(kind: str) -> Callable[[UUID], bool]:
    """Return a predicate: whether numbers were drawn for this family, in any version."""
    family = problems.family_of(kind)
    return lambda fingerprint: Variant.objects.filter(
        fingerprint=fingerprint, family=family
    ).exists()
