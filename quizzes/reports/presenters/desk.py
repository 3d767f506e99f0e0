"""Reports for those who answer them: grouped by question, and within by its numbers."""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from functools import partial
from itertools import groupby
from typing import Any

from django.urls import reverse
from django.utils.safestring import SafeString
from django.utils.text import Truncator
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from design.fragments import render_fragment
from quizzes import problems
from quizzes.items.presenters import texts
from quizzes.items.presenters.asked_item import AskedBody, givens_of, statement_of
from quizzes.models import ConceptQuestion, Item, Report
from quizzes.models.reports import question_of_subject
from quizzes.problems.answers import is_choice
from quizzes.reports.queries import OpenCounts
from quizzes.reports.services import Recipients
from quizzes.visibility import student_pseudonym

MAX_TITLE_LENGTH = 90


def question_groups(
    reports: Sequence[Report],
    waiting: OpenCounts,
    now: datetime,
    *,
    review_of: Callable[[Item], str] | None,
    names: bool,
) -> list[dict[str, Any]]:
    """Return the reports as groups by question, in the order of `filtered_reports`.

    With links to what `review_of` returns, and with `names` of students, where allowed. Of each
    question, `sizes` are those of its kind, or say that it is withdrawn or changed since;
    `waiting` is the number of its open reports, on this page or not.
    """
    line = partial(report_line, waiting=waiting, now=now, review_of=review_of, names=names)
    return [
        _question_group(about, list(together), waiting, line)
        for about, together in groupby(reports, key=lambda report: report.about)
    ]


def _question_group(
    about: str, reports: Sequence[Report], waiting: OpenCounts, line: Callable[[Report], Any]
) -> dict[str, Any]:
    question = reports[0].item.question
    return {
        "about": about,
        "title": question_title(about, question),
        "sizes": _question_status(question) if question else _sizes_of(about),
        "waiting": waiting.by_question.get(about, 0),
        "variants": tuple(
            {
                "asked": _asked(together[0].item),
                "variant": together[0].item.variant,
                "lines": tuple(map(line, together)),
            }
            for together in _by_variant(reports)
        ),
    }


def _question_status(question: ConceptQuestion) -> str:
    if not question.published:
        return _("withdrawn")
    return _("changed since") if question.replaced_at else ""


def _by_variant(reports: Sequence[Report]) -> Iterable[list[Report]]:
    for _variant, together in groupby(reports, key=lambda report: report.item.variant_id):
        yield list(together)


def question_title(about: str, question: ConceptQuestion | None) -> str:
    """Return a question's title: its first words, or its family's title."""
    if question_of_subject(about) is None:
        return problems.title_of_kind(about)
    # A deleted question is known only by its key.
    words = texts.strip_markup(question.prompt) if question else about
    return Truncator(" ".join(words.split())).chars(MAX_TITLE_LENGTH)


def question_title_with_sizes(about: str, question: ConceptQuestion | None) -> str:
    """Return a question's title, with the sizes that distinguish it within its family."""
    sizes = _sizes_of(about)
    return (
        f"{question_title(about, question)} ({sizes})" if sizes else question_title(about, question)
    )


def _sizes_of(about: str) -> str:
    """Return a kind's sizes: tokens 3, width 2."""
    if question_of_subject(about) is not None:
        return ""
    sizes: Mapping[str, object] = json.loads(about.split("/", 2)[2])
    return ", ".join(f"{name} {size}" for name, size in sizes.items())


def report_line(
    report: Report,
    *,
    waiting: OpenCounts,
    now: datetime,
    review_of: Callable[[Item], str] | None,
    names: bool,
) -> dict[str, Any]:
    """Return the line of one report.

    It is `secret` while the student does not see the marks yet. `to` has the choices for whom an
    answer goes to, if there are several.
    """
    item, attempt = report.item, report.item.attempt
    place = {"title": attempt.quiz.title if attempt.quiz else _("Practice"), "of": item.position}
    marked = attempt.score is not None and not attempt.is_practice
    return {
        "report": report,
        "student": str(report.student) if names else student_pseudonym(report.student_id),
        "where": _("%(title)s, question %(of)s") % place,
        "secret": not attempt.shows_results(now),
        "to": tuple(_recipients(report, waiting)),
        "review_url": review_of(item) if review_of and marked else "",
    }


def review_address(item: Item) -> str:
    """Return the address of an item's review, for administrators."""
    return f"{reverse('quizzes:review', args=[item.attempt_id])}#item-{item.position}"


def _recipients(report: Report, waiting: OpenCounts) -> Iterable[tuple[Recipients, str]]:
    """Yield the recipients to choose from; none for a question's only open report."""
    if not report.is_open:
        yield (Recipients.THIS, _("only this report"))
        yield (Recipients.SAME, _("all reports on this question with the same reply"))
        return
    of_question = waiting.by_question.get(report.about, 0)
    of_variant = waiting.by_variant.get(report.item.variant_id, 0)
    if of_question < 2:
        return
    yield (Recipients.THIS, _("only this report"))
    if 1 < of_variant < of_question:
        words = ngettext(
            "the %(count)s open report with these numbers",
            "all %(count)s open reports with these numbers",
            of_variant,
        )
        yield (Recipients.VARIANT, words % {"count": of_variant})
    words = ngettext(
        "the %(count)s open report on this question",
        "all %(count)s open reports on this question",
        of_question,
    )
    yield (Recipients.QUESTION, words % {"count": of_question})


def _asked(item: Item) -> SafeString:
    """Return the question as the student saw it, without the right answer."""
    shown = item.shown
    body = AskedBody(
        position=item.position,
        statement=texts.render_block(statement_of(shown)),
        **givens_of(shown),
        rows=(),
    )
    choices = (
        [texts.render_line(each["text"]) for each in shown["choices"]] if is_choice(shown) else []
    )
    return render_fragment("quizzes/reports/_reported_asked.html", item=body, choices=choices)
