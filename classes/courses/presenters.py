"""Template contexts of moved dates."""

from collections.abc import Iterable
from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

from django.forms import Form
from django.utils import timezone
from django.utils.timezone import localtime
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from classes.assignments.words import NAMES, format_moment
from classes.courses.moving import MovedDates, Preview
from classes.courses.services.copying import NextTerm
from classes.models import Assignment, Course, Override

# A copy for the next term


def describe_move(term: NextTerm) -> str:
    """Return in words by how many days dates move; "" if that is unknown."""
    if term.first_day is None or term.counted_from is None:
        return ""
    later = ngettext(
        "Dates move forward by %(days)s day.", "Dates move forward by %(days)s days.", term.days
    )
    back = ngettext(
        "Dates move back by %(days)s day.", "Dates move back by %(days)s days.", -term.days
    )
    words = (back if term.days < 0 else later) % {"days": abs(term.days)}
    if term.days == term.days_apart:
        return words
    weeks = _(
        "Days between the terms: %(days)s. Moving by whole weeks keeps each date on its weekday."
    )
    return f"{words} {weeks % {'days': abs(term.days_apart)}}"


def moved_lines(
    quizzes: Iterable[MovedDates], term: NextTerm, course: Course, dates: Form
) -> list[dict[str, Any]]:
    """Return a line for each date, in the old and the new class's time zone, with its field.

    A quiz without dates gets a line that says so.
    """
    lines = []
    for each in quizzes:
        moved = [(name, at) for name, at in each.was.items() if at]
        if not moved:
            no_date = {"name": _("no date"), "was": "–", "now": "–", "note": ""}
            lines.append({"title": str(each.row)} | no_date)
        for name, at in moved:
            line = _moved_line(str(each.row), name, at, each.now[name], term, course)
            key = f"{name}-{each.row.pk}"
            lines.append(line | {"field": dates[key] if key in dates.fields else None})
    return lines


def _moved_line(
    title: str, name: str, was: datetime, now: datetime, term: NextTerm, course: Course
) -> dict[str, str]:
    here = localtime(was, ZoneInfo(course.time_zone))
    there = localtime(now, ZoneInfo(term.time_zone))
    note = _("in the past") if now < timezone.now() else _note_on_clock(here, there)
    return {
        "title": title,
        "name": str(NAMES[name]),
        "was": format_moment(here),
        "now": format_moment(there),
        "note": note,
    }


def _note_on_clock(here: datetime, there: datetime) -> str:
    if f"{here:%H:%M}" == f"{there:%H:%M}":
        return ""
    return _("time changed: the clocks change that night")


# Another time zone


def zone_lines(change: Preview, of: str, to: str) -> list[dict[str, str]]:
    """Return a line for each date that another time zone would move."""
    old, new = ZoneInfo(of), ZoneInfo(to)
    return [
        _zone_line(each.row, name, each.was[name], each.now[name], old, new)
        for each in change.rows
        for name in each.moves
    ]


def _zone_line(
    row: Assignment | Override,
    name: str,
    was: datetime,
    now: datetime,
    old: ZoneInfo,
    new: ZoneInfo,
) -> dict[str, str]:
    assignment, whom = row, ""
    if isinstance(row, Override):
        assignment, whom = row.assignment, row.whom
    here, there = localtime(was, old), localtime(now, new)
    return {
        "title": assignment.sitting.quiz.title,
        "whom": whom,
        "name": str(NAMES[name]),
        "was": format_moment(here),
        # The new date if it keeps its time of day, or its moment.
        "by_clock": format_moment(there),
        "by_moment": format_moment(localtime(was, new)),
        "note": _note_on_clock(here, there),
    }
