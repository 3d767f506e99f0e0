"""Finds the families of published problems for the core, and keeps those that were read.

A published version never changes, so a process may keep its family. Which version is the
newest does change: that is asked again after `NEWEST_SECONDS`.
"""

import time
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from functools import lru_cache

from django.db.models import Max, Q, QuerySet
from django.utils.translation import gettext

from quizzes import problems
from quizzes.models import WrittenProblem

NEWEST_SECONDS = 1.0
# Families that a process keeps: each takes 50 to 150 KiB.
MAX_CACHED = 300


@dataclass
class _Known:
    # Of every version that was read, what lists show of it. In place of one that cannot be read is
    # the reason: it would be read in vain at each request.
    heads: dict[tuple[str, int], problems.Heads | str] = field(default_factory=dict)
    newest: dict[str, int] = field(default_factory=dict)
    published: dict[str, int] = field(default_factory=dict)
    asked_at: float = -NEWEST_SECONDS


_known = _Known()


def load_family(key: str, version: int | None) -> problems.Family:
    """Return the family of a published problem, in this version or in the newest one.

    A withdrawn version is still found by its number, so that answers to it are marked.

    Raises:
        UnknownFamily: there is none, or its text cannot be read.
    """
    number = newest_versions().get(key) if version is None else version
    if number is None:
        words = gettext("there’s no published problem “%(key)s”")
        raise problems.UnknownFamily(words % {"key": key})
    if isinstance(trouble := _known.heads.get((key, number)), str):
        raise problems.UnknownFamily(trouble)
    return _load(key, number)


@lru_cache(MAX_CACHED)
def _load(key: str, version: int) -> problems.Family:
    row = _published().filter(key=key, version=version).first()
    if row is None:
        words = gettext("there’s no published version %(version)s of the problem “%(key)s”")
        raise problems.UnknownFamily(words % {"version": version, "key": key})
    return _read(row)


def find_heads(key: str, version: int | None) -> problems.Heads | None:
    """Return what lists show of a problem; None if it cannot be read or was never published.

    In this version, or in the newest one. Of a problem that may not be drawn any more, it is the
    newest version that was published.
    """
    newest = newest_versions().get(key) or _known.published.get(key)
    for number in filter(None, dict.fromkeys((version, newest))):
        with suppress(problems.UnknownFamily):
            if (key, number) not in _known.heads:
                load_family(key, number)
        if isinstance(found := _known.heads.get((key, number)), problems.Heads):
            return found
    return None


def without_unreadable(keys: Iterable[str]) -> frozenset[str]:
    """Return those of the keys whose newest version today's reader can read.

    With one query at most for all of them.
    """
    newest = newest_versions()
    wanted = {(key, newest[key]) for key in keys if key in newest}
    _read_heads(wanted)
    return frozenset(key for key, version in wanted if not _is_unreadable(key, version))


def unreadable_versions() -> list[tuple[str, int]]:
    """Return the key and version of each published problem that today's reader cannot read."""
    stored = set(_published().order_by().values_list("key", "version"))
    _read_heads(stored)
    return sorted(each for each in stored if _is_unreadable(*each))


def _is_unreadable(key: str, version: int) -> bool:
    return isinstance(_known.heads.get((key, version)), str)


def _read_heads(versions: Iterable[tuple[str, int]]) -> None:
    """Read those of the versions that were not read before."""
    missing = {each for each in versions if each not in _known.heads}
    if not missing:
        return
    keys = sorted({key for key, _version in missing})
    for row in _published().filter(key__in=keys).iterator():
        if (row.key, row.version) in missing:
            with suppress(problems.UnknownFamily):
                _read(row)


def _published() -> QuerySet[WrittenProblem]:
    """Return the published versions, withdrawn ones too."""
    return WrittenProblem.every.filter(published_at__isnull=False)


def _read(row: WrittenProblem) -> problems.Family:
    """Read a version, and keep its heads, or the reason why it cannot be read."""
    try:
        family = problems.read_stored(row.key, row.version, row.text, row.facts)
    except problems.UnknownFamily as trouble:
        _known.heads[row.key, row.version] = str(trouble)
        raise
    _known.heads[row.key, row.version] = problems.heads_of(family)
    return family


def newest_versions() -> dict[str, int]:
    """Return the newest version of each problem that may be drawn, by its key."""
    _ask_newest()
    return _known.newest


def _ask_newest() -> None:
    if time.monotonic() - _known.asked_at < NEWEST_SECONDS:
        return
    rows = _published().order_by().values_list("key")
    drawable = Max("version", filter=Q(withdrawn_at=None))
    found = list(rows.annotate(published=Max("version"), drawable=drawable))
    _known.published = {key: version for key, version, _newest in found}
    _known.newest = {key: newest for key, _version, newest in found if newest}
    _known.asked_at = time.monotonic()


def forget_newest() -> None:
    """Ask again which versions are the newest, after one was published or withdrawn."""
    _known.asked_at = -NEWEST_SECONDS
