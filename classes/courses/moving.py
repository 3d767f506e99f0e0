"""Dates moved by whole days on the clock on the wall: what began at 8:30 begins at 8:30.

It knows no database.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from foundation.minutes import end_of_minute, start_of_minute


@dataclass(frozen=True)
class MovedDates:
    """The dates of an assignment or an exception: as they are, and as they would be."""

    row: Any
    was: Mapping[str, datetime | None]
    now: Mapping[str, datetime | None]

    @property
    def moves(self) -> list[str]:
        """The names of those that would be other moments."""
        return [name for name, was in self.was.items() if was != self.now[name]]


@dataclass(frozen=True)
class Preview:
    """What would become of dates; `digest` is the same as long as that is."""

    rows: Sequence[MovedDates]
    digest: str


def moved(
    dates: Mapping[str, datetime | None], days: int, *, of: ZoneInfo, to: ZoneInfo
) -> dict[str, datetime | None]:
    """The dates of one assignment, so many days later; what comes after another stays after it.

    Args:
        dates: by their names, in their order.
        of: the zone on whose clock the dates are read.
        to: the zone on whose clock they are to be the same.
    """
    found: dict[str, datetime | None] = {}
    before: tuple[datetime, datetime] | None = None  # the last date that is set: was, and is
    for name, was in dates.items():
        found[name] = at = was and at_same_time(was, days, of=of, to=to)
        if was is None or at is None:
            continue
        # In a night in which clocks change, two times may fall together, or change places.
        if before and was > before[0] and at <= before[1]:
            found[name] = at = before[1] + (was - before[0])
        before = (was, at)
    return found


def as_limit(name: str, at: datetime | None) -> datetime | None:
    """Return a new date as it is stored: the beginning of a minute, or its end."""
    if at is None:
        return None
    return start_of_minute(at) if name == "opens_at" else end_of_minute(at)


def at_same_time(at: datetime, days: int, *, of: ZoneInfo, to: ZoneInfo) -> datetime:
    """So many days later by the calendar, at the same time of day.

    A time that does not exist that night becomes the next that does; of one that comes twice it is
    the first.

    >>> vienna = ZoneInfo("Europe/Vienna")
    >>> eight = datetime(2026, 10, 5, 8, 30, tzinfo=vienna)
    >>> at_same_time(eight, 28, of=vienna, to=vienna).astimezone(vienna).isoformat()
    '2026-11-02T08:30:00+01:00'
    >>> before = datetime(2027, 3, 27, 2, 30, tzinfo=vienna)
    >>> at_same_time(before, 1, of=vienna, to=vienna).astimezone(vienna).isoformat()
    '2027-03-28T03:00:00+02:00'
    """
    wall = at.astimezone(of).replace(tzinfo=None, fold=0) + timedelta(days=days)
    there = wall.replace(tzinfo=to)
    if there.astimezone(UTC).astimezone(to).replace(tzinfo=None) == wall:
        return there.astimezone(UTC)
    return _end_of_gap(there)


def _end_of_gap(skipped: datetime) -> datetime:
    """The moment at which clocks jump over a time: what comes before it has another offset."""
    zone = skipped.tzinfo
    early = skipped.replace(fold=1).astimezone(UTC)  # read by the offset after the jump
    late = skipped.astimezone(UTC)  # and by the one before it
    offset = early.astimezone(zone).utcoffset()
    while late - early > timedelta(seconds=1):
        middle = early + (late - early) / 2
        if middle.astimezone(zone).utcoffset() == offset:
            early = middle
        else:
            late = middle
    return late.replace(microsecond=0)
