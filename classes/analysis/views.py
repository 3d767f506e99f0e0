"""Views: statistics of an assignment's questions, scores, times and mistakes."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import render
from django.utils import timezone
from django.utils.translation import gettext as _

from classes.access.queries import CourseAccess, Role
from classes.access.views import access_required, get_assignment_or_404
from classes.models import Assignment, Membership
from foundation.downloads import file_name
from foundation.spreadsheets import Row, spreadsheet_response
from quizzes.analysis import presenters
from quizzes.analysis.presenters import MAX_MISTAKES, DistributionView, MistakeLine, QuestionLine
from quizzes.analysis.queries import Question, SittingAnswers, facility_of_others, sitting_answers
from quizzes.analysis.statistics import (
    MIN_GROUP,
    MIN_TO_CORRELATE,
    NO_MINIMUM,
    Figures,
    group_by_question,
    question_figures,
)
from quizzes.items.queries import topic_titles
from quizzes.models import Wording

FIRST = "first"
OTHERS = "others"


@dataclass(frozen=True)
class _AssignmentFigures:
    """The figures of an assignment, as far as they are visible to one user.

    Staff see every mark, and so every figure. Figures to be passed on leave out anything that
    fewer than `fewest` students did.
    """

    assignment: Assignment
    first: bool
    fewest: int
    marked: SittingAnswers
    figures: Mapping[Question, Figures]
    titles: Mapping[Question, str]
    wordings: Mapping[Question, Mapping[str, Any]]

    @property
    def distributions(self) -> list[DistributionView]:
        sitting = self.assignment.sitting
        return [
            presenters.score_distribution(self.marked, sitting, self.fewest),
            presenters.time_distribution(self.marked, sitting, self.fewest),
        ]

    @property
    def questions(self) -> list[QuestionLine]:
        return presenters.question_lines(self.figures, self.titles, self.marked.positions)

    @property
    def mistakes(self) -> list[MistakeLine]:
        return presenters.mistake_lines(self.figures, self.titles, self.wordings)

    @property
    def is_published(self) -> bool:
        return len(self.marked.attempts) >= self.fewest


@access_required("GET")
def figures(request: HttpRequest, access: CourseAccess, assignment_id: int) -> HttpResponse:
    """Show distributions, a line for each question, and the costliest mistakes."""
    read = _load_figures(request, access, assignment_id)
    context = _context(access, read)
    if read.is_published:
        mistakes = read.mistakes
        context |= {
            "distributions": read.distributions,
            "questions": read.questions,
            "mistakes": mistakes[:MAX_MISTAKES],
            "more": len(mistakes) > MAX_MISTAKES,
        }
    return render(request, "classes/analysis/figures.html", context)


@access_required("GET")
def question(
    request: HttpRequest, access: CourseAccess, assignment_id: int, asked: str
) -> HttpResponse:
    """Show the figures of one question, and its mistakes in a made-up example."""
    read = _load_figures(request, access, assignment_id)
    found = next((each for each in read.figures if each.key == asked), None)
    if found is None or not read.is_published:
        raise Http404(_("This question is not in the quiz, or too few students were asked it."))
    mistakes = [each for each in read.mistakes if each.question == asked]
    problem, examples = presenters.examples(found, mistakes)
    context = _context(access, read) | {
        "others": presenters.others_figure(
            facility_of_others(found, read.assignment.sitting, _everyone_in(access))
        ),
        "line": next(each for each in read.questions if each.key == asked),
        "mistakes": mistakes,
        "is_choice": found.question is not None,
        "prompt": presenters.render_prompt(found, read.wordings[found]),
        "problem": problem,
        "examples": examples,
    }
    return render(request, "classes/analysis/figures_question.html", context)


@access_required("GET")
def table(
    request: HttpRequest, access: CourseAccess, assignment_id: int, name: str
) -> HttpResponseBase:
    """Download a table as CSV, without what the page for others leaves out: files get passed on."""
    if name not in _TABLES:
        raise Http404(_("File not found."))
    read = _load_figures(request, access, assignment_id, MIN_GROUP)
    rows = list(_TABLES[name](read)) if read.is_published else []
    title, day = read.assignment.sitting.quiz.title, timezone.localdate().isoformat()
    return spreadsheet_response(rows, file_name(title, name, day), "csv")


def _load_figures(
    request: HttpRequest, access: CourseAccess, pk: int, fewest: int | None = None
) -> _AssignmentFigures:
    assignment = get_assignment_or_404(access, pk)
    first = request.GET.get("attempts") == FIRST
    fewest = fewest or (MIN_GROUP if request.GET.get("for") == OTHERS else NO_MINIMUM)
    students = access.members().filter(role=Role.STUDENT).exclude(user=None).values("user")
    marked = sitting_answers(assignment.sitting, students, first=first)
    answers = group_by_question(marked.answers)
    figures_by_question = {
        asked: question_figures(answers[asked], fewest) for asked in marked.positions
    }
    texts = Wording.objects.read(marked.wordings.values())
    wordings = {asked: texts[key] for asked, key in marked.wordings.items()}
    titles = presenters.question_titles(list(figures_by_question), wordings, topic_titles())
    return _AssignmentFigures(
        assignment, first, fewest, marked, figures_by_question, titles, wordings
    )


def _everyone_in(access: CourseAccess) -> QuerySet:
    """Return the accounts of the whole class, even of sections not visible to the user."""
    return Membership.objects.filter(course=access.course).exclude(user=None).values("user")


def _context(access: CourseAccess, read: _AssignmentFigures) -> dict[str, Any]:
    return {
        "access": access,
        "assignment": read.assignment,
        "first": read.first,
        "count": len(read.marked.attempts),
        "is_published": read.is_published,
        "counts": read.assignment.sitting.get_counts_display(),
        "for_others": read.fewest == MIN_GROUP,
        "fewest": MIN_GROUP,
        "enough": MIN_TO_CORRELATE,
    }


# Files


def _distribution(name: str) -> Any:
    def rows(read: _AssignmentFigures) -> Iterator[Row]:
        distribution = next(each for each in read.distributions if each.name == name)
        if distribution.chart:
            yield (distribution.chart.unit, distribution.chart.of_what)
            yield from ((bar.bin.range, bar.bin.count) for bar in distribution.chart.bars)

    return rows


def _questions(read: _AssignmentFigures) -> Iterator[Row]:
    yield (
        *(_("Question"), _("Numbers"), _("Asked"), _("Facility")),
        *(_("Discrimination"), _("Left blank")),
    )
    for each in read.questions:
        shares = (each.facility, each.discrimination, each.omission)
        yield (each.title, each.positions, each.asked, *(_rounded(one.number) for one in shares))


def _mistakes(read: _AssignmentFigures) -> Iterator[Row]:
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
    "questions": _questions,
    "mistakes": _mistakes,
}
