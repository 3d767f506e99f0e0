"""What the page that watches a quiz shows of each student, and is told while it is open."""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from classes.models import Membership
from classes.watching.queries import Line, State
from quizzes.items.presenters.texts import points_text

# Of what there is nothing to say: a line keeps its height whatever comes.
NOTHING = "–"
# The signs that verdicts have.
SIGNS = {
    State.WORKING: "open",
    State.ATTENTION: "unreadable",
    State.WAITING: "waiting",
    State.MARKED: "right",
    State.NOT_STARTED: "blank",
}
WORDS = {
    State.WORKING: gettext_lazy("working"),
    State.ATTENTION: gettext_lazy("needs attention"),
    State.WAITING: gettext_lazy("waiting to be marked"),
    State.MARKED: gettext_lazy("marked"),
    State.NOT_STARTED: gettext_lazy("not started"),
}


@dataclass(frozen=True)
class WatchLine:
    """A student's line in words."""

    line: Line
    state: str
    words: str
    answered: str
    left: str
    saved: str
    score: str
    note: str

    @property
    def cells(self) -> dict[str, str]:
        """What changes while the page is open."""
        return {
            "words": self.words,
            "answered": self.answered,
            "left": self.left,
            "saved": self.saved,
            "score": self.score,
        }


def watch_line(line: Line, now: datetime) -> WatchLine:
    return WatchLine(
        line=line,
        state=line.state.value,
        words=str(WORDS[line.state]),
        answered=_answered(line) if line.runs else NOTHING,
        left=_left(line, now) if line.runs else NOTHING,
        saved=_ago(line.saved_at, now) if line.runs else NOTHING,
        score=NOTHING if line.score is None else _score(line),
        note=", ".join(_notes(line)),
    )


def state_counts(counts: Mapping[State, int]) -> list[dict[str, Any]]:
    return [
        {"state": state.value, "words": WORDS[state], "count": counts[state]} for state in State
    ]


def told(lines: Iterable[Line], counts: Mapping[State, int], now: datetime) -> dict[str, Any]:
    """What an open page is told: how many are in each state, and the lines that it shows."""
    shown = {line.member: watch_line(line, now) for line in lines}
    return {
        "counts": {state.value: count for state, count in counts.items()},
        "lines": {key: {"state": each.state} | each.cells for key, each in shown.items()},
    }


def _answered(line: Line) -> str:
    return _("%(count)s of %(all)s") % {"count": line.answered, "all": line.asked}


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


def _score(line: Line) -> str:
    words = _("%(points)s of %(out_of)s")
    return words % {"points": points_text(line.score), "out_of": points_text(line.out_of)}


def _notes(line: Line) -> Iterable[str]:
    if line.number > 1:
        yield _("attempt %(number)s") % {"number": line.number}
    if line.late:
        yield _("late")
    if line.reopened:
        yield _("reopened")
    if line.place != Membership.State.ACTIVE:
        yield str(Membership.State(line.place).label)
