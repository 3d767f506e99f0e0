"""Finds the families of published problems for the core, and keeps those that were read.

A published version never changes, so a process keeps its family for good. Which version is the
newest does change: that is asked again after `NEWEST_SECONDS`.
"""

import time
from dataclasses import dataclass, field

from django.db.models import Max

from quizzes import problems
from quizzes.models import WrittenProblem

NEWEST_SECONDS = 1.0


@dataclass
class _Known:
    families: dict[tuple[str, int], problems.Family] = field(default_factory=dict)
    newest: dict[str, int] = field(default_factory=dict)
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
        raise problems.UnknownFamily(f"no problem {key!r} is published")
    if (found := _known.families.get((key, number))) is None:
        row = WrittenProblem.every.filter(
            key=key, version=number, published_at__isnull=False
        ).first()
        if row is None:
            raise problems.UnknownFamily(f"no problem {key!r} is published in version {number}")
        found = problems.read_stored(row.key, row.version, row.text, row.facts)
        _known.families[key, number] = found
    return found


def newest_versions() -> dict[str, int]:
    """Return the newest version of each problem that may be drawn, by its key."""
    if time.monotonic() - _known.asked_at >= NEWEST_SECONDS:
        drawable = WrittenProblem.every.published().order_by().values_list("key")
        _known.newest = dict(drawable.annotate(Max("version")))
        _known.asked_at = time.monotonic()
    return _known.newest


def forget_newest() -> None:
    """Ask again which versions are the newest, after one was published or withdrawn."""
    _known.asked_at = -NEWEST_SECONDS
