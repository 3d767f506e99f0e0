"""Views: the gradebook of a class and of one assignment, as pages and as files."""

from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from functools import partial
from itertools import chain
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import render
from django.utils import timezone
from django.utils.translation import gettext as _

from classes.access.queries import CourseAccess
from classes.access.views import access_required, get_assignment_or_404
from classes.gradebook import queries
from classes.gradebook.forms import BookFilter
from classes.gradebook.presenters import files, tables
from classes.gradebook.queries import BookChoice, Entries
from classes.models import Assignment
from classes.watching.queries import Student
from foundation.downloads import file_name
from foundation.filters import page_from_request
from foundation.spreadsheets import FORMATS, spreadsheet_response
from quizzes.items.queries import topic_titles

# By the last part of the URL: the table's layout and the file format.
LAYOUTS = {
    "csv": (files.class_table, "csv"),
    "xlsx": (files.class_table, "xlsx"),
    "canvas": (files.canvas_table, "csv"),
    "moodle": (files.moodle_table, "csv"),
}


@access_required("GET")
def book(request: HttpRequest, access: CourseAccess) -> HttpResponse:
    """Show a line for each student, with their result at each assignment."""
    now, assignments = timezone.now(), queries.assignments_with_results(access)
    columns = [(str(each.pk), each.sitting.quiz.title) for each in assignments]
    wanted = BookFilter(request.GET, access, columns)
    choice = wanted.choice(now)
    students = queries.chosen_students(access, choice)
    by_one = [each for each in assignments if str(each.pk) == choice.order]
    if choice.state:
        students = _filter_by_state(assignments, students, choice, now)
    if by_one or choice.order in queries.ORDERS:
        students = _sort_by_points(by_one or assignments, students, choice, now)
    page = page_from_request(request, students)
    found = _entries(assignments, page, choice, now)
    lines = queries.gradebook_lines(assignments, page, found)
    closed = [each.sitting.has_closed_for_all(now) for each in assignments]
    shown = [tables.class_line(line, closed) for line in lines]
    points = queries.possible_points(assignments)
    context = _context(access, wanted, choice, page) | {
        "heads": tables.heads(assignments, points, now),
        "rows": tables.render_rows(access.course.pk, shown, sections=access.sees_all),
        "legend": tables.legend(),
        "files": list(LAYOUTS),
    }
    return render(request, "classes/gradebook/gradebook.html", context)


@access_required("GET")
def book_file(request: HttpRequest, access: CourseAccess, layout: str) -> HttpResponseBase:
    """Download the lines of all chosen students."""
    if layout not in LAYOUTS:
        raise Http404(_("File not found."))
    now, assignments = timezone.now(), queries.assignments_with_results(access)
    table, file_format = LAYOUTS[layout]
    if layout == "canvas":
        table = partial(table, platform=queries.platform_columns(access.course))
    choice = BookFilter(request.GET, access).choice(now)
    lines = chain.from_iterable(queries.line_chunks(access, assignments, choice, now))
    # Only our own layouts get a byte order mark: it would spoil Canvas's header.
    own = layout in FORMATS
    return spreadsheet_response(
        table(assignments, queries.possible_points(assignments), lines),
        _file_name(access.course.title, "gradebook" if own else layout, choice, now),
        file_format,
        mark=own,
        heads=2,
    )


@access_required("GET")
def marks(request: HttpRequest, access: CourseAccess, assignment_id: int) -> HttpResponse:
    """Show a line for each student, with the points of each question of the attempt that counts."""
    now, assignment = timezone.now(), get_assignment_or_404(access, assignment_id)
    positions = queries.count_questions(assignment)
    columns = [(f"q{n}", _("question %(number)s") % {"number": n}) for n in range(1, positions + 1)]
    wanted = BookFilter(request.GET, access, columns)
    choice = wanted.choice(now)
    students = queries.chosen_students(access, choice, assignment)
    if choice.state:
        students = _filter_by_state([assignment], students, choice, now)
    if choice.order in queries.ORDERS:
        students = _sort_by_points([assignment], students, choice, now)
    elif choice.order.startswith("q"):
        found = _entries([assignment], None, choice, now)
        students = queries.sort_by_question(
            students, assignment, found, choice.at, int(choice.order.removeprefix("q"))
        )
    page = page_from_request(request, students)
    found = _entries([assignment], page, choice, now)
    lines = queries.gradebook_lines([assignment], page, found)
    earned = queries.question_results((line.entries[0] for line in lines), choice.at)
    shown = [
        tables.question_line(line, earned.get(line.entries[0].attempt, {}), positions)
        for line in lines
    ]
    titles = tables.question_titles(earned.values(), topic_titles())
    context = _context(access, wanted, choice, page) | {
        "assignment": assignment,
        "notes": list(tables.notes_of(assignment.sitting, now)),
        "positions": range(1, positions + 1),
        "titles": titles.items(),
        "rows": tables.render_rows(access.course.pk, shown, sections=access.sees_all),
        "legend": [*tables.verdict_legend(earned.values()), *tables.legend()],
    }
    return render(request, "classes/gradebook/marks.html", context)


@access_required("GET")
def marks_file(
    request: HttpRequest, access: CourseAccess, assignment_id: int, layout: str
) -> HttpResponseBase:
    """Download the points of each question for all chosen students."""
    if layout not in FORMATS:
        raise Http404(_("File not found."))
    now, assignment = timezone.now(), get_assignment_or_404(access, assignment_id)
    choice = BookFilter(request.GET, access).choice(now)
    chunks = queries.line_chunks(access, [assignment], choice, now)
    rows = files.question_table(assignment, queries.count_questions(assignment), chunks, choice)
    return spreadsheet_response(
        rows, _file_name(access.course.title, assignment.sitting.quiz.title, choice, now), layout
    )


def _entries(
    assignments: Sequence[Assignment],
    students: Iterable[Student] | None,
    choice: BookChoice,
    now: datetime,
) -> Entries:
    """Return the entries of these students, or of all."""
    users = None if students is None else [each.user for each in students if each.user]
    return queries.entries(assignments, now, users, choice.at)


def _filter_by_state(
    assignments: Sequence[Assignment],
    students: Iterable[Student],
    choice: BookChoice,
    now: datetime,
) -> list[Student]:
    """Return the students with the chosen state at any of these assignments."""
    lines = queries.gradebook_lines(
        assignments, students, _entries(assignments, None, choice, now), late=False
    )
    return [line.student for line in lines if queries.has_state(line, choice.state)]


def _sort_by_points(
    assignments: Sequence[Assignment],
    students: Iterable[Student],
    choice: BookChoice,
    now: datetime,
) -> list[Student]:
    """Sort students by their points at these assignments."""
    lines = queries.gradebook_lines(
        assignments, students, _entries(assignments, None, choice, now), late=False
    )
    order = queries.ORDERS.get(choice.order, queries.by_fewest_points)
    return [line.student for line in sorted(lines, key=order)]


def _context(
    access: CourseAccess, wanted: BookFilter, choice: BookChoice, page: Any
) -> dict[str, Any]:
    left = queries.count_former(page.paginator.object_list)
    return {
        "access": access,
        "filter": wanted,
        "page": page,
        "current": page.paginator.count - left,
        "left": left,
        # The last day whose marks are shown.
        "day": choice.at and timezone.localtime(choice.at - timedelta(seconds=1)),
    }


def _file_name(title: str, what: str, choice: BookChoice, now: datetime) -> str:
    """Return a file name from the class, the contents and the day."""
    day = timezone.localtime(choice.at - timedelta(seconds=1) if choice.at else now)
    return file_name(title, what, day.date().isoformat())
