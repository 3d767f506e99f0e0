"""Template contexts of the gradebook: column heads, rows of cells, and legends."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from classes.gradebook.queries import Entry, Line, QuestionResult
from classes.models import Assignment, Membership
from classes.watching.presenters import EMPTY, STATE_VERDICTS, format_points_of
from classes.watching.queries import State
from design import verdicts
from design.fragments import render_fragment
from quizzes import problems
from quizzes.items.presenters.skills import skill_title
from quizzes.items.presenters.texts import format_points
from quizzes.items.presenters.verdicts import verdict_word
from quizzes.items.skills import TOPIC, Skill
from quizzes.models import Attempt, Sitting

# States of cells beside those of attempts.
LATE, MISSING = "late", "missing"


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell: its text, notes beside it, and the attempt it links to."""

    text: str
    words: str = ""
    notes: tuple[str, ...] = ()
    state: str = ""
    attempt: int | None = None
    anchor: str = ""


# A student's line: its `student`, a `note` on them, the `total` and the `cells`.
type LineShown = dict[str, Any]
# A sign of the legend, and its meaning.
type Explained = tuple[str, str]


def heads(
    assignments: Iterable[Assignment], points: Mapping[int, int], now: datetime
) -> list[tuple[Assignment, str, list[str]]]:
    """Return the assignments, each with its points and the notes beside its title."""
    return [
        (each, format_points(points[each.pk]), list(notes_of(each.sitting, now)))
        for each in assignments
    ]


def notes_of(sitting: Sitting, now: datetime) -> Iterator[str]:
    """Yield notes on all marks at a sitting."""
    if sitting.attempts_allowed != 1:
        last = sitting.counts == Sitting.Counts.LAST
        yield _("last attempt counts") if last else _("best attempt counts")
    if not sitting.shows_results(now):
        yield _("hidden")


def render_rows(course: int, shown: Iterable[LineShown], *, sections: bool) -> SafeString:
    """Render the rows of the table."""
    return render_fragment(
        "classes/gradebook/_gradebook_rows.html", course=course, lines=shown, sections=sections
    )


def class_line(line: Line, closed: Iterable[bool]) -> LineShown:
    """Return the line of a student; `closed` says which assignments nobody can start any more."""
    return _line(line, [_entry_cell(*each) for each in zip(line.entries, closed, strict=True)])


def _line(line: Line, cells: Sequence[Cell]) -> LineShown:
    place = line.student.place
    return {
        "student": line.student,
        "note": Membership.State(place).label if place != Membership.State.ACTIVE else "",
        "total": EMPTY if line.points is None else format_points_of(line.points, line.out_of),
        "cells": cells,
    }


def _entry_cell(entry: Entry, closed: bool = False) -> Cell:
    if entry.points is None:
        is_missing = closed and entry.state == State.NOT_STARTED
        return Cell(
            text=sign_of(entry.state),
            words=str(entry.state.label),
            notes=(_("missing"),) if is_missing else (),
            state=MISSING if is_missing else entry.state.value,
            attempt=entry.attempt,
        )
    return Cell(
        text=format_points(entry.points),
        notes=tuple(notes_on(entry)),
        state=LATE if entry.late else State.MARKED.value,
        attempt=entry.attempt,
    )


def person_lines(
    assignments: Sequence[Assignment], line: Line, attempts: Mapping[int, Sequence[Attempt]]
) -> list[dict[str, Any]]:
    """Return a line for each assignment: one student's state, points and attempts."""
    return [
        {
            "assignment": each,
            "state": entry.state,
            "points": "" if entry.points is None else format_points_of(entry.points, entry.out_of),
            "notes": [_("late")] if entry.late else [],
            "attempts": attempts.get(each.sitting_id, ()),
            "counts": entry.attempt,
        }
        for each, entry in zip(assignments, line.entries, strict=True)
    ]


def notes_on(entry: Entry) -> Iterator[str]:
    """Yield the notes beside the points that count."""
    if entry.late:
        yield _("late")
    if entry.made > 1:
        yield _("%(number)s/%(made)s") % {"number": entry.number, "made": entry.made}
    if entry.state != State.MARKED:
        yield sign_of(entry.state)


def sign_of(state: State) -> str:
    return verdicts.SIGNS[STATE_VERDICTS[state]]


def legend() -> list[Explained]:
    """Return the legend of a class's gradebook."""
    unmarked = [state for state in State if state != State.MARKED]
    words = {
        State.WORKING: _("in progress"),
        State.ATTENTION: _("couldn’t be marked"),
        State.WAITING: _("submitted, not yet marked"),
        State.NOT_STARTED: _("not started"),
    }
    return [
        *((sign_of(state), words[state]) for state in unmarked),
        (_("late"), _("submitted after this student’s due date")),
        (_("missing"), _("not started, and closed for everyone")),
        ("2/3", _("the second of three attempts counts")),
        (_("hidden"), _("students can’t see these marks yet")),
    ]


# Questions of one assignment


def question_line(line: Line, asked: Mapping[int, QuestionResult], positions: int) -> LineShown:
    """Return the line of a student with the points of each question of the attempt that counts."""
    (entry,) = line.entries
    if entry.points is None:
        first = _entry_cell(entry)
        cells = [first, *(Cell("") for _n in range(positions))]
        return _line(line, cells)
    notes = tuple(notes_on(entry))
    state = Cell(str(State.MARKED.label), notes=notes, state="marked", attempt=entry.attempt)
    earned = [_asked_cell(entry, n, asked.get(n)) for n in range(1, positions + 1)]
    return _line(line, [state, *earned])


def _asked_cell(entry: Entry, position: int, asked: QuestionResult | None) -> Cell:
    if asked is None:
        return Cell("")
    sign = verdicts.SIGNS.get(asked.verdict, "")
    return Cell(
        text=format_points(asked.points),
        words=verdict_word(asked.verdict),
        notes=(sign,) if sign else (),
        state=asked.verdict,
        attempt=entry.attempt,
        anchor=f"#item-{position}",
    )


def verdict_legend(found: Iterable[Mapping[int, QuestionResult]]) -> list[Explained]:
    """Return the legend of the verdicts that occur in these cells."""
    there = {asked.verdict for each in found for asked in each.values()}
    return [
        (sign, verdict_word(verdict))
        for verdict, sign in verdicts.SIGNS.items()
        if verdict in there
    ]


def _question_title(mark: QuestionResult, titles: Mapping[str, str]) -> str:
    if mark.kind:
        return problems.title_of_kind(mark.kind)
    return skill_title(Skill(TOPIC, mark.topic), titles)


def question_titles(
    found: Iterable[Mapping[int, QuestionResult]], titles: Mapping[str, str]
) -> dict[int, str]:
    """Return the title of each question by its number; several titles, where attempts differ."""
    asked: dict[int, set[str]] = {}
    for each in found:
        for position, mark in each.items():
            asked.setdefault(position, set()).add(_question_title(mark, titles))
    return {position: ", ".join(sorted(asked[position])) for position in sorted(asked)}
