"""Finds the families of published problems for the core, and keeps those that were read.

A published version never changes, so a process may keep its family. Which version is the
newest does change: that is asked again after `NEWEST_SECONDS`.
"""

import time
from collections.abc import Iterable
from dataclasses import dataclass, field

from django.db.models import Max, Q, QuerySet
from django.utils.translation import gettext

from quizzes import problems
from quizzes.models import WrittenProblem

NEWEST_SECONDS = 1.0
# Families that a process keeps: each takes 50 to 150 KiB.
MAX_CACHED = 300


@dataclass
class _Known:
    # In place of one that cannot be read is the reason: it would be read in vain at each request.
    families: dict[tuple[str, int], problems.Family | str] = field(default_factory=dict)
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
    if (found := _known.families.get((key, number))) is None:
        row = _published().filter(key=key, version=number).first()
        if row is None:
            words = gettext("there’s no published version %(version)s of the problem “%(key)s”")
            raise problems.UnknownFamily(words % {"version": number, "key": key})
        found = _read(row)
    if isinstance(found, str):
        raise problems.UnknownFamily(found)
    return found


def read_ahead(keys: Iterable[str]) -> None:
    """Read the newest versions of these problems, with one query at most for all of them."""
    newest = newest_versions()
    wanted = {key: newest[key] for key in keys if key in newest}
    if missing := {key for key, version in wanted.items() if (key, version) not in _known.families}:
        for row in _published().filter(key__in=sorted(missing)):
            if row.version == wanted[row.key]:
                _read(row)


def unreadable_versions() -> list[tuple[str, int]]:
    """Return the key and version of each published problem that today's reader cannot read."""
    known = _known.families.keys()
    stored = set(_published().order_by().values_list("key", "version"))
    if missing := {key for key, version in stored if (key, version) not in known}:
        for row in _published().filter(key__in=sorted(missing)).iterator():
            if (row.key, row.version) not in known:
                _read(row)
    return sorted(each for each in stored if isinstance(_known.families.get(each), str))


def _published() -> QuerySet[WrittenProblem]:
    """Return the published versions, withdrawn ones too."""
    return WrittenProblem.every.filter(published_at__isnull=False)


def _read(row: WrittenProblem) -> problems.Family | str:
    """Read a version, and keep its family, or the reason why it cannot be read."""
    read: problems.Family | str
    try:
        read = problems.read_stored(row.key, row.version, row.text, row.facts)
    except problems.UnknownFamily as trouble:
        read = str(trouble)
    if len(_known.families) >= MAX_CACHED:
        _known.families.clear()
    _known.families[row.key, row.version] = read
    return read


def newest_versions() -> dict[str, int]:
    """Return the newest version of each problem that may be drawn, by its key."""
    _ask_newest()
    return _known.newest


def version_for_title(key: str) -> int | None:
    """Return the newest version of a problem that was ever published, though it is withdrawn."""
    _ask_newest()
    return _known.published.get(key)


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
