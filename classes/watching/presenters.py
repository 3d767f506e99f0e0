"""Template contexts and live updates of the monitoring page."""

import math
from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from classes.models import Membership
from classes.watching.queries import Line, State
from quizzes.items.presenters.texts import format_points

# Fills empty cells, so that a line keeps its height.
EMPTY = "–"
# By state: the verdict whose sign is shown.
STATE_VERDICTS = {
    State.WORKING: "open",
    State.ATTENTION: "unreadable",
    State.WAITING: "waiting",
    State.MARKED: "right",
    State.NOT_STARTED: "blank",
}


def watch_line(line: Line, now: datetime) -> dict[str, Any]:
    """Return a student's line; `cells` are the parts that change while the page is open."""
    answered = _("%(count)s of %(all)s") % {"count": line.answered, "all": line.asked}
    cells = {
        "words": str(line.state.label),
        "answered": answered if line.runs else EMPTY,
        "left": _left(line, now) if line.runs else EMPTY,
        "saved": _ago(line.saved_at, now) if line.runs else EMPTY,
        "score": EMPTY if line.score is None else format_points_of(line.score, line.out_of),
    }
    return {"line": line, "cells": cells, "note": ", ".join(_notes(line))}


def live_update(
    lines: Iterable[Line], counts: Mapping[State, int], now: datetime
) -> dict[str, Any]:
    """Return the live update of a page: the number in each state, and the cells of its lines."""
    return {
        "counts": {state.value: count for state, count in counts.items()},
        "lines": {
            line.member: {"state": line.state.value, **watch_line(line, now)["cells"]}
            for line in lines
        },
    }


def _left(line: Line, now: datetime) -> str:
    if line.deadline is None:
        return _("no time limit")
    minutes = math.ceil(max(0.0, (line.deadline - now).total_seconds()) / 60)
    return _duration(minutes)


def _ago(when: datetime | None, now: datetime) -> str:
    if when is None:
        return _("nothing yet")
    minutes = int((now - when).total_seconds() // 60)
    return _("%(span)s ago") % {"span": _duration(minutes)} if minutes > 0 else _("just now")


def _duration(minutes: int) -> str:
    if minutes < 120:
        return ngettext("%(count)s min", "%(count)s min", minutes) % {"count": minutes}
    hours = minutes // 60
    if hours < 48:
        return ngettext("%(count)s hour", "%(count)s hours", hours) % {"count": hours}
    days = hours // 24
    return ngettext("%(count)s day", "%(count)s days", days) % {"count": days}


def format_points_of(points: float, out_of: float) -> str:
    words = _("%(points)s of %(out_of)s")
    return words % {"points": format_points(points), "out_of": format_points(out_of)}


def _notes(line: Line) -> Iterable[str]:
    if line.number > 1:
        yield _("attempt %(number)s") % {"number": line.number}
    if line.late:
        yield _("late")
    if line.reopened:
        yield _("reopened")
    if line.place != Membership.State.ACTIVE:
        yield str(Membership.State(line.place).label)
