"""Views: statistics of an assignment's slots, questions, scores, times and mistakes."""

from collections.abc import Iterator
from typing import Any

from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import render
from django.utils import timezone
from django.utils.translation import gettext as _

from classes.access.queries import CourseAccess
from classes.access.views import access_required, get_assignment_or_404
from classes.analysis.presenters import MAX_FLAGGED, AssignmentFigures, load_figures
from classes.models import Membership
from foundation.downloads import file_name
from foundation.spreadsheets import Row, spreadsheet_response
from quizzes.analysis.flags import MIN_TO_FLAG
from quizzes.analysis.presenters.mistakes import MAX_MISTAKES, examples
from quizzes.analysis.presenters.questions import QuestionLine, others_figure, render_prompt
from quizzes.analysis.queries import facility_of_others
from quizzes.analysis.statistics import MIN_GROUP, MIN_TO_CORRELATE, MIN_TO_SPLIT, NO_MINIMUM

FIRST = "first"
OTHERS = "others"


@access_required("GET")
def figures(request: HttpRequest, access: CourseAccess, assignment_id: int) -> HttpResponse:
    """Show what stands out, distributions, a line for each slot, and the costliest mistakes."""
    read = _load_figures(request, access, assignment_id)
    context = _context(access, read)
    if read.is_published:
        mistakes, flagged = read.mistakes, read.flagged
        context |= {
            "flagged": flagged[:MAX_FLAGGED],
            "more_flagged": flagged[MAX_FLAGGED:],
            "distributions": read.distributions,
            "slots": read.slots,
            "mistakes": mistakes[:MAX_MISTAKES],
            "more": len(mistakes) > MAX_MISTAKES,
        }
    return render(request, "classes/analysis/figures.html", context)


@access_required("GET")
def question(
    request: HttpRequest, access: CourseAccess, assignment_id: int, asked: str
) -> HttpResponse:
    """Show the figures of one question, its choices, or its mistakes in a made-up example."""
    read = _load_figures(request, access, assignment_id)
    found = next((each for each in read.quiz.questions if each.key == asked), None)
    if found is None or not read.is_published:
        raise Http404(_("This question isn’t in the quiz, or too few students were given it."))
    mistakes = read.mistakes_of(found)
    problem, wrong = examples(found, mistakes)
    context = _context(access, read) | {
        "others": others_figure(
            facility_of_others(found, read.assignment.sitting, _everyone_in(access))
        ),
        "line": next(each for each in read.questions if each.key == asked),
        "flagged": next((each for each in read.flagged if each.line.key == asked), None),
        "mistakes": mistakes,
        "choices": read.choices(found),
        "prompt": render_prompt(found, read.wordings[found]),
        "problem": problem,
        "examples": wrong,
    }
    return render(request, "classes/analysis/figures_question.html", context)


@access_required("GET")
def table(
    request: HttpRequest, access: CourseAccess, assignment_id: int, name: str
) -> HttpResponseBase:
    """Download a table of the page as CSV; the file's name says if it is the version to share."""
    if name not in _TABLES:
        raise Http404(_("File not found."))
    read = _load_figures(request, access, assignment_id)
    rows = list(_TABLES[name](read)) if read.is_published else []
    title, day = read.assignment.sitting.quiz.title, timezone.localdate().isoformat()
    for_whom = _("to share") if read.for_others else ""
    return spreadsheet_response(rows, file_name(title, name, for_whom, day), "csv")


def _load_figures(request: HttpRequest, access: CourseAccess, pk: int) -> AssignmentFigures:
    return load_figures(
        access,
        get_assignment_or_404(access, pk),
        first=request.GET.get("attempts") == FIRST,
        fewest=MIN_GROUP if request.GET.get("for") == OTHERS else NO_MINIMUM,
    )


def _everyone_in(access: CourseAccess) -> QuerySet:
    """Return the accounts of the whole class, even of sections not visible to the user."""
    return Membership.objects.filter(course=access.course).exclude(user=None).values("user")


def _context(access: CourseAccess, read: AssignmentFigures) -> dict[str, Any]:
    return {
        "access": access,
        "assignment": read.assignment,
        "first": read.marked.first,
        "count": len(read.marked.attempts),
        "is_published": read.is_published,
        "counts": read.assignment.sitting.get_counts_display(),
        "for_others": read.for_others,
        "fewest": MIN_GROUP,
        "enough": MIN_TO_CORRELATE,
        "enough_to_flag": MIN_TO_FLAG,
        "enough_to_split": MIN_TO_SPLIT,
        "now": timezone.now(),
    }


# Files


def _distribution(name: str) -> Any:
    def rows(read: AssignmentFigures) -> Iterator[Row]:
        distribution = next(each for each in read.distributions if each.name == name)
        if distribution.chart:
            yield (distribution.chart.unit, distribution.chart.of_what)
            yield from ((bar.bin.range, bar.bin.count) for bar in distribution.chart.bars)

    return rows


def _slots(read: AssignmentFigures) -> Iterator[Row]:
    yield from _lines(_("Slot"), _("Number"), [each.figures for each in read.slots])


def _questions(read: AssignmentFigures) -> Iterator[Row]:
    yield from _lines(_("Question"), _("Numbers"), read.questions)


def _lines(what: str, number: str, lines: list[QuestionLine]) -> Iterator[Row]:
    yield (what, number, _("Asked"), _("Facility"), _("Discrimination"), _("Left blank"))
    for each in lines:
        shares = (each.facility, each.discrimination, each.omission)
        yield (each.title, each.positions, each.asked, *(_rounded(one.number) for one in shares))


def _mistakes(read: AssignmentFigures) -> Iterator[Row]:
    yield (
        *(_("Question"), _("Step"), _("Mistake"), _("Feedback")),
        *(_("Students"), _("Share"), _("Points lost")),
    )
    for each in read.mistakes:
        made = each.made
        yield (
            *(each.title, made.step, made.key, each.plain),
            *(made.count, _rounded(made.share), _rounded(made.lost)),
        )


def _rounded(number: float | None) -> float | None:
    return None if number is None else round(number, 4)


_TABLES = {
    "scores": _distribution("scores"),
    "times": _distribution("times"),
    "slots": _slots,
    "questions": _questions,
    "mistakes": _mistakes,
}
