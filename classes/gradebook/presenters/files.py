"""The gradebook as tables for spreadsheets, Canvas and Moodle.

docs/gradebook.md describes the formats they expect, and how to import the files.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from zoneinfo import ZoneInfo

from django.utils.translation import gettext as _

from classes.access.queries import CURRENT_STATES
from classes.gradebook.queries import BookChoice, Entry, Line, question_results
from classes.models import Assignment
from classes.watching.queries import State
from foundation.spreadsheets import Row, Value

DECIMALS = 4
# Canvas takes a number in brackets at the end of a title for the ID of an assignment.
_KEY = re.compile(r"\((\d+)\)\s*\Z")
# Moodle creates columns out of 100, and reads this as "no mark"; an empty cell would be zero.
MOODLE_OUT_OF, NO_MARK = 100, "-"


def class_table(
    assignments: Sequence[Assignment], points: Mapping[int, int], lines: Iterable[Line]
) -> Iterator[Row]:
    """Return two header rows, then a row for each student."""
    possible = [points[each.pk] for each in assignments]
    heads: list[Row] = [
        (_("Name"), _("Address"), _("Section"), *_titles(assignments), _("Points"), _("Out of")),
        (_("out of"), None, None, *possible, None, None),
    ]
    return chain(heads, (_class_row(line) for line in lines))


def _class_row(line: Line) -> Row:
    student = line.student
    marks = [_rounded(each.points) for each in line.entries]
    total = [_rounded(line.points), _rounded(line.out_of) if line.points is not None else None]
    return (student.display_name, student.address, student.section, *marks, *total)


def _rounded(points: float | None) -> float | None:
    return None if points is None else round(points, DECIMALS)


def _titles(assignments: Iterable[Assignment]) -> list[str]:
    """Return the names of the columns: unique, and not mistaken for a Canvas ID."""
    seen: Counter[str] = Counter()
    titles = []
    for each in assignments:
        title = _KEY.sub(r"[\1]", each.sitting.quiz.title)
        seen[title] += 1
        titles.append(title if seen[title] == 1 else f"{title}, {seen[title]}")
    return titles


def canvas_table(
    assignments: Sequence[Assignment],
    points: Mapping[int, int],
    lines: Iterable[Line],
    *,
    platform: Mapping[int, Mapping[str, str]],
) -> Iterator[Row]:
    """Return Canvas's columns, in its order and in English, with its row of possible points.

    `platform` has what Canvas calls the students whom a list of its own named, by member.
    """
    possible = [points[each.pk] for each in assignments]
    heads: list[Row] = [
        ("Student", "ID", "SIS User ID", "SIS Login ID", "Section", *_titles(assignments)),
        ("    Points Possible", None, None, None, None, *possible),
    ]

    def row(line: Line) -> Row:
        student = line.student
        marks = [
            _scaled_points(entry, points[each.pk])
            for each, entry in zip(assignments, line.entries, strict=True)
        ]
        own = platform.get(student.member, {})
        login = own.get("SIS Login ID", student.address)
        section = own.get("Section", student.section)
        return (
            *(student.display_name, own.get("ID"), own.get("SIS User ID"), login, section),
            *marks,
        )

    return chain(heads, (row(line) for line in _current_students(lines)))


def moodle_table(
    assignments: Sequence[Assignment], points: Mapping[int, int], lines: Iterable[Line]
) -> Iterator[Row]:
    """Return a header row, then a row for each student with marks out of 100."""
    heads: list[Row] = [("Full name", "Email address", *_titles(assignments))]

    def row(line: Line) -> Row:
        marks = [_scaled_points(entry, MOODLE_OUT_OF) for entry in line.entries]
        cells: list[Value] = [NO_MARK if mark is None else mark for mark in marks]
        return (line.student.display_name, line.student.address, *cells)

    return chain(heads, (row(line) for line in _current_students(lines)))


def _current_students(lines: Iterable[Line]) -> Iterator[Line]:
    """Yield current students only: one the platform does not know may stop its import."""
    return (line for line in lines if line.student.place in CURRENT_STATES)


def _scaled_points(entry: Entry, out_of: int) -> float | None:
    """Return the points scaled to `out_of`, as an attempt may be out of fewer than its quiz."""
    if entry.points is None or not entry.out_of:
        return None
    return round(entry.points / entry.out_of * out_of, 2)


def question_table(
    assignment: Assignment, positions: int, chunks: Iterable[list[Line]], choice: BookChoice
) -> Iterator[Row]:
    """Return a header row, then a row for each student with the points of each question."""
    zone = ZoneInfo(assignment.course.time_zone)
    states = {state: str(state.label) for state in State}
    yes = _("yes")
    questions = [_("Question %(number)s") % {"number": n} for n in range(1, positions + 1)]
    heads: Row = (
        *(_("Name"), _("Address"), _("Section"), _("State"), _("Attempt"), _("Attempts made")),
        *(_("Submitted"), _("Late"), _("Points"), _("Out of"), *questions),
    )

    def rows() -> Iterator[Row]:
        for lines in chunks:
            earned = question_results((line.entries[0] for line in lines), choice.at)
            for line in lines:
                (entry,), student = line.entries, line.student
                asked = earned.get(entry.attempt or 0, {})
                at = entry.handed_in_at
                yield (
                    *(student.display_name, student.address, student.section),
                    *(states[entry.state], entry.number or None, entry.made or None),
                    at.astimezone(zone) if at else None,
                    *(yes if entry.late else None, _rounded(entry.points)),
                    _rounded(entry.out_of) if entry.points is not None else None,
                    *(_rounded(asked[n].points) if n in asked else None
                      for n in range(1, positions + 1)),
                )  # fmt: skip

    return chain([heads], rows())
