"""Moving dates by whole days of local time, so that 8:30 stays 8:30. Uses no database."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from foundation.minutes import end_of_minute, start_of_minute


@dataclass(frozen=True)
class MovedDates:
    """The dates of an assignment or an override, before and after a move."""

    row: Any
    was: Mapping[str, datetime | None]
    now: Mapping[str, datetime | None]

    @property
    def moves(self) -> list[str]:
        """The names of the dates that change."""
        return [name for name, was in self.was.items() if was != self.now[name]]


@dataclass(frozen=True)
class Preview:
    """A preview of moved dates; an equal `digest` means an equal preview."""

    rows: Sequence[MovedDates]
    digest: str


def shift_dates(
    dates: Mapping[str, datetime | None], days: int, *, of: ZoneInfo, to: ZoneInfo
) -> dict[str, datetime | None]:
    """Return the dates of one assignment `days` later, in the same order of time.

    Args:
        dates: the dates by name, in order.
        of: the time zone in which the dates are read.
        to: the time zone in which they are to show the same time.
    """
    found: dict[str, datetime | None] = {}
    before: tuple[datetime, datetime] | None = None  # the last date that is set: old and new
    for name, was in dates.items():
        found[name] = at = was and at_same_time(was, days, of=of, to=to)
        if was is None or at is None:
            continue
        # When clocks change, two times may coincide or swap places.
        if before and was > before[0] and at <= before[1]:
            found[name] = at = before[1] + (was - before[0])
        before = (was, at)
    return found


def to_minute_boundary(name: str, at: datetime | None) -> datetime | None:
    """Return a new date as it is stored: the beginning of a minute, or its end."""
    if at is None:
        return None
    return start_of_minute(at) if name == "opens_at" else end_of_minute(at)


def at_same_time(at: datetime, days: int, *, of: ZoneInfo, to: ZoneInfo) -> datetime:
    """Return the same local time `days` calendar days later.

    A local time that does not exist becomes the next that does; of one that occurs twice, the
    first is taken.

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
    """Return the moment when clocks skip a local time, by bisecting for the change of offset."""
    zone = skipped.tzinfo
    early = skipped.replace(fold=1).astimezone(UTC)  # with the offset after the jump
    late = skipped.astimezone(UTC)  # with the one before it
    offset = early.astimezone(zone).utcoffset()
    while late - early > timedelta(seconds=1):
        middle = early + (late - early) / 2
        if middle.astimezone(zone).utcoffset() == offset:
            early = middle
        else:
            late = middle
    return late.replace(microsecond=0)
