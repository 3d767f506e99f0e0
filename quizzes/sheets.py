"""Sheets: HTML of variants, made by workers before anybody asks for it.

What is printed from a variant never changes, and one student alone will see it: whoever makes it
ahead spares the page that student waits for most of its work. A sheet is found by a hash of what it
says, its language and all code that it is made with, so that a site never shows those of another
release. There need be none: pages make what they lack.
"""

import hashlib
import time
import zlib
from collections.abc import Iterable, Iterator
from contextlib import suppress
from datetime import timedelta
from functools import cache, lru_cache
from importlib.metadata import version
from pathlib import Path
from uuid import UUID

from django.conf import settings
from django.db import transaction
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.utils import timezone, translation

from foundation.locking import lock_first
from quizzes import problems
from quizzes.models import Item, Sheet, Variant
from quizzes.models.wordings import wording_key
from quizzes.presenters.asked_item import sheet_of
from quizzes.presenters.worked_solution import Solved
from quizzes.queries import somebody_waits

ASKED, SOLVED = "asked", "solved"
BATCH = 20
# Who was asked so long ago has seen the results.
KEPT = timedelta(days=30)
MOST_DISCARDED = 5000

_PACKAGES = ("attention_core", "design", "lessons", "locale", "quizzes")
_LIBRARIES = ("django", "jinja2", "markdown-it-py", "math-core", "mdit-py-plugins", "nh3")


def asked_of(items: Iterable[Item]) -> dict[int, str]:
    """The sheets that there are of what these items ask, by item; they hold nothing else."""
    return _found(ASKED, items)


def solved_of(items: Iterable[Item]) -> dict[int, str]:
    """The sheets that there are of the solutions to these items, by item."""
    return _found(SOLVED, items)


def make_sheets(*, seconds: float = 4.0) -> int:
    """Make the sheets of what lies ready for exams; return of how many variants.

    Stops after so many seconds, or as soon as an answer waits to be marked.
    """
    until = time.monotonic() + seconds
    made = last = 0
    while time.monotonic() < until and not somebody_waits():
        batch = list(_without_sheets().filter(pk__gt=last).order_by("pk")[:BATCH])
        if not batch:
            break
        Sheet.objects.bulk_create(
            [sheet for variant in batch for sheet in _made_of(variant)], ignore_conflicts=True
        )
        made += len(batch)
        last = batch[-1].pk
    return made


@transaction.atomic
def discard_sheets() -> int:
    """Delete those of other releases, and of what was asked long ago; return how many."""
    asked = Q(variant__given_at__lt=timezone.now() - KEPT)
    old = Sheet.objects.filter(asked | ~Q(release=release()))
    return Sheet.objects.filter(pk__in=lock_first(old, most=MOST_DISCARDED)).delete()[0]


@cache
def release() -> str:
    """What all sheets of this code share: a hash of everything that they are made with."""
    found = hashlib.sha256(repr([version(library) for library in _LIBRARIES]).encode())
    for package in _PACKAGES:
        for path in sorted(Path(settings.BASE_DIR, package).rglob("*")):
            if path.suffix in {".py", ".html", ".mo"}:
                found.update(path.read_bytes())
    return found.hexdigest()[:16]


def _without_sheets() -> QuerySet[Variant]:
    made = Sheet.objects.filter(variant=OuterRef("pk"), release=release())
    return Variant.objects.filter(~Exists(made), for_exams=True, given_at=None)


def _made_of(variant: Variant) -> Iterator[Sheet]:
    with suppress(
        problems.AuthorError, problems.UnknownKind
    ):  # its family is gone: nobody will be asked it
        wording = problems.variant_wording(vars(variant))
        key = wording_key(wording)
        shown = problems.shown(wording, variant=vars(variant))
        solution = {step.key: step for step in problems.worked_solution(vars(variant))}
        for language, _name in settings.LANGUAGES:
            with translation.override(language):
                yield _sheet(ASKED, variant, key, sheet_of(shown))
                yield _sheet(SOLVED, variant, key, Solved.of(shown, solution).sheet())


def _sheet(part: str, variant: Variant, wording: UUID, html: str) -> Sheet:
    return Sheet(
        variant=variant,
        key=_key(part, wording),
        release=release(),
        packed=zlib.compress(html.encode()),
    )


def _found(part: str, items: Iterable[Item]) -> dict[int, str]:
    wanted = {
        item.pk: (item.variant_id, _key(part, item.wording_id)) for item in items if item.variant_id
    }
    variants, keys = zip(*wanted.values(), strict=True) if wanted else ((), ())
    rows = Sheet.objects.filter(variant__in=variants, key__in=set(keys))
    read = {row[:2]: row[2] for row in rows.values_list("variant", "key", "packed")}
    return {
        item: zlib.decompress(read[sheet]).decode()
        for item, sheet in wanted.items()
        if sheet in read
    }


def _key(part: str, wording: UUID) -> UUID:
    return _hashed(part, wording, translation.get_language())


@lru_cache(maxsize=4096)
def _hashed(part: str, wording: UUID, language: str | None) -> UUID:
    told = f"{release()} {part} {language} {wording}"
    return UUID(bytes=hashlib.sha256(told.encode()).digest()[:16])
