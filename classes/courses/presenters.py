"""How dates move when a class is copied."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from zoneinfo import ZoneInfo

from django.utils import timezone
from django.utils.formats import date_format
from django.utils.timezone import localtime
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from classes.assignments.words import NAMES
from classes.courses.services.copying import Moved, NextTerm

# A copy for the next term


@dataclass(frozen=True)
class MovedLine:
    """One date of a quiz, in the old class and in the new one."""

    title: str
    name: str
    was: str
    now: str
    note: str


def moved_by(term: NextTerm) -> str:
    """By how many days; empty where nothing says so."""
    if term.first_day is None or term.counted_from is None:
        return ""
    later = ngettext(
        "Dates move forward by %(days)s day.", "Dates move forward by %(days)s days.", term.days
    )
    back = ngettext(
        "Dates move back by %(days)s day.", "Dates move back by %(days)s days.", -term.days
    )
    return (back if term.days < 0 else later) % {"days": abs(term.days)}


def moved_lines(quizzes: Iterable[Moved], term: NextTerm) -> list[MovedLine]:
    """Each date by the clock of its own class; a quiz that has none, with a line that says so."""
    lines = []
    for each in quizzes:
        dates = [(name, at) for name, at in each.was.items() if at]
        if not dates:
            lines.append(MovedLine(each.title, _("no date"), "–", "–", ""))
        lines += [_moved_line(each.title, name, at, each.now[name], term) for name, at in dates]
    return lines


def _moved_line(title: str, name: str, was: datetime, now: datetime, term: NextTerm) -> MovedLine:
    there = localtime(now, ZoneInfo(term.time_zone))
    note = ""
    if now < timezone.now():
        note = _("in the past")
    elif there.time() != localtime(was).time():
        note = _("time changed: the clocks change that night")
    return MovedLine(title, str(NAMES[name]), _wall(localtime(was)), _wall(there), note)


def _wall(there: datetime) -> str:
    return date_format(there, "D j M Y, H:i")
