"""Which sheet is whose: found by a hash of what it says, its language and the code that makes it.

So a site never shows what another release made.
"""

import hashlib
import zlib
from collections.abc import Iterable
from functools import cache, lru_cache
from importlib.metadata import version
from pathlib import Path
from uuid import UUID

from django.conf import settings
from django.db.models import QuerySet
from django.utils import translation

from foundation.prepared import prepared
from quizzes.models import Item, Sheet

ASKED, SOLVED = "asked", "solved"

_PACKAGES = ("attention_core", "design", "lessons", "locale", "quizzes")
_LIBRARIES = ("django", "jinja2", "markdown-it-py", "math-core", "mdit-py-plugins", "nh3")


def asked_of(items: Iterable[Item]) -> dict[int, str]:
    """The sheets that there are of what these items ask, by item; they hold nothing else."""
    return _found(ASKED, items)


def solved_of(items: Iterable[Item]) -> dict[int, str]:
    """The sheets that there are of the solutions to these items, by item."""
    return _found(SOLVED, items)


@cache
def release() -> str:
    """What all sheets of this code share: a hash of everything that they are made with."""
    found = hashlib.sha256(repr([version(library) for library in _LIBRARIES]).encode())
    for package in _PACKAGES:
        for path in sorted(Path(settings.BASE_DIR, package).rglob("*")):
            if path.suffix in {".py", ".html", ".mo"}:
                found.update(path.read_bytes())
    return found.hexdigest()[:16]


def _found(part: str, items: Iterable[Item]) -> dict[int, str]:
    wanted = {
        item.pk: (item.variant_id, key_of(part, item.wording_id))
        for item in items
        if item.variant_id
    }
    variants, keys = zip(*wanted.values(), strict=True) if wanted else ((), ())
    read = {row[:2]: row[2] for row in _packed(list(variants), list(set(keys)))}
    return {
        item: zlib.decompress(read[sheet]).decode()
        for item, sheet in wanted.items()
        if sheet in read
    }


@prepared
def _packed(variants: list[int], keys: list[UUID]) -> QuerySet:
    sheets = Sheet.objects.filter(variant__pk__in=variants, key__in=keys)
    return sheets.values_list("variant", "key", "packed")


def key_of(part: str, wording: UUID) -> UUID:
    """The key of a part of what is asked in this wording, in the language of the moment."""
    return _hashed(part, wording, translation.get_language())


@lru_cache(maxsize=4096)
def _hashed(part: str, wording: UUID, language: str | None) -> UUID:
    told = f"{release()} {part} {language} {wording}"
    return UUID(bytes=hashlib.sha256(told.encode()).digest()[:16])
