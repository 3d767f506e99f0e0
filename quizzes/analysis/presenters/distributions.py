"""A sitting's scores and times: charts with their summaries."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from design.charts import Chart, build_chart
from quizzes.analysis.queries import SittingAnswers
from quizzes.analysis.statistics import (
    MIN_GROUP,
    Distribution,
    distribution,
    score_edges,
    time_edges,
)
from quizzes.items.presenters import texts
from quizzes.models import Sitting


@dataclass(frozen=True)
class DistributionView:
    """A distribution: its chart, or the sentence `instead`, with its summary."""

    name: str
    title: str
    chart: Chart | None
    instead: str
    summary: Sequence[str]
    suppressed: str


def score_distribution(marked: SittingAnswers, sitting: Sitting, fewest: int) -> DistributionView:
    found = distribution([each.percent for each in marked.attempts], score_edges(), fewest)
    return _distribution_view(
        "scores",
        found,
        _("Scores"),
        first=marked.first,
        says=_("Number of students by percentage of points"),
        unit=_("Percentage of points"),
        at=sitting.quiz.pass_mark,
        line_label=_("pass mark"),
        far_is_beyond=False,
        measure=texts.format_percent,
    )


def time_distribution(marked: SittingAnswers, sitting: Sitting, fewest: int) -> DistributionView:
    minutes = [each.minutes for each in marked.attempts if each.minutes is not None]
    found = distribution(minutes, time_edges(minutes), fewest, is_open=True)
    return _distribution_view(
        "times",
        found,
        _("Times"),
        first=marked.first,
        says=_("Number of students by minutes taken"),
        unit=_("Minutes"),
        at=sitting.minutes,
        line_label=_("time is up"),
        far_is_beyond=True,
        measure=texts.format_minutes,
    )


def _distribution_view(
    name: str, found: Distribution, title: str, *, first: bool, measure: Any, **options: Any
) -> DistributionView:
    if not found.is_published:
        return DistributionView(name, title, None, _too_few(found.count), (), "")
    drawn = build_chart(found.bins, title=title, of_what=_("Students"), **options)
    return DistributionView(
        name, title, drawn, "", tuple(_summary(found, measure, first)), _kept(found.together)
    )


def _summary(found: Distribution, measure: Any, first: bool) -> Iterable[str]:
    if first:
        words = ngettext("%(count)s first attempt.", "%(count)s first attempts.", found.count)
    else:
        words = ngettext(
            "%(count)s attempt that counts.", "%(count)s attempts that count.", found.count
        )
    yield words % {"count": found.count}
    yield _("Mean %(mean)s, median %(median)s.") % {
        "mean": measure(found.mean),
        "median": measure(found.median),
    }
    if found.lower is not None:
        yield _("The middle half is between %(lower)s and %(upper)s.") % {
            "lower": measure(found.lower),
            "upper": measure(found.upper),
        }


def _kept(together: int) -> str:
    if not together:
        return ""
    words = ngettext(
        "Bars with a dashed outline hide their numbers to protect privacy, "
        "because they cover fewer than %(fewest)s students or would reveal such "
        "a number. Together they cover %(count)s student.",
        "Bars with a dashed outline hide their numbers to protect privacy, "
        "because they cover fewer than %(fewest)s students or would reveal such "
        "a number. Together they cover %(count)s students.",
        together,
    )
    return words % {"fewest": MIN_GROUP, "count": together}


def _too_few(count: int) -> str:
    if not count:
        return _("No attempts.")
    words = _("There are too few to show (%(count)s): any figure would reveal individual students.")
    return words % {"count": count}
