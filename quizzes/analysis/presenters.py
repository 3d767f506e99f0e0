"""A sitting's figures for pages: charts, questions, and named mistakes."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.safestring import SafeString
from django.utils.text import Truncator
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from design.charts import Chart, build_chart
from design.matrix import Matrix, format_number
from quizzes import problems
from quizzes.analysis.queries import Others, Question, SittingAnswers
from quizzes.analysis.statistics import (
    MIN_GROUP,
    MIN_TO_CORRELATE,
    Distribution,
    Figures,
    Mistake,
    distribution,
    score_edges,
    time_edges,
)
from quizzes.items.presenters import grids, texts
from quizzes.items.presenters.skills import skill_title
from quizzes.items.presenters.worked_solution import printed_question
from quizzes.items.skills import FAMILY, TOPIC, Skill
from quizzes.models import Sitting

MAX_TITLE_LENGTH = 80
# The costliest mistakes of a quiz that a page shows.
MAX_MISTAKES = 10
NOTHING = "–"


@dataclass(frozen=True)
class DistributionView:
    """A distribution: its chart, or the sentence `instead`, with its summary."""

    name: str
    title: str
    chart: Chart | None
    instead: str
    summary: Sequence[str]
    suppressed: str


@dataclass(frozen=True)
class Value:
    """A figure in words and as a number for files and bars, or why there is none."""

    words: str
    number: float | None = None
    why: str = ""

    @property
    def percent(self) -> int | None:
        return None if self.number is None else round(100 * self.number)


@dataclass(frozen=True)
class QuestionLine:
    """A question with its figures."""

    key: str
    title: str
    positions: str
    asked: int
    facility: Value
    discrimination: Value
    omission: Value


@dataclass(frozen=True)
class MistakeLine:
    """A named mistake with its count and cost."""

    question: str
    title: str
    key: str
    step: SafeString
    feedback: SafeString
    plain: str
    count: int
    share: str
    lost: str
    made: Mistake


# Distributions


def score_distribution(marked: SittingAnswers, sitting: Sitting, fewest: int) -> DistributionView:
    found = distribution([each.percent for each in marked.attempts], score_edges(), fewest)
    return _distribution_view(
        "scores",
        found,
        _("Scores"),
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
        says=_("Number of students by minutes taken"),
        unit=_("Minutes"),
        at=sitting.minutes,
        line_label=_("time is up"),
        far_is_beyond=True,
        measure=texts.format_minutes,
    )


def _distribution_view(
    name: str, found: Distribution, title: str, *, measure: Any, **options: Any
) -> DistributionView:
    if not found.is_published:
        return DistributionView(name, title, None, _too_few(found.count), (), "")
    drawn = build_chart(found.bins, title=title, of_what=_("Students"), **options)
    return DistributionView(
        name, title, drawn, "", tuple(_summary(found, measure)), _kept(found.together)
    )


def _summary(found: Distribution, measure: Any) -> Iterable[str]:
    words = ngettext("%(count)s attempt.", "%(count)s attempts.", found.count)
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
        "Hatched bars are hidden to protect privacy, because they cover fewer than %(fewest)s"
        " students or would reveal such a number. Together they are %(count)s student.",
        "Hatched bars are hidden to protect privacy, because they cover fewer than %(fewest)s"
        " students or would reveal such a number. Together they are %(count)s students.",
        together,
    )
    return words % {"fewest": MIN_GROUP, "count": together}


def _too_few(count: int) -> str:
    if not count:
        return _("No attempts.")
    words = _("With only %(count)s, any figure would reveal individual students.")
    return words % {"count": count}


# Questions


def question_titles(
    asked: Sequence[Question],
    wordings: Mapping[Question, Mapping[str, Any]],
    topics: Mapping[str, str],
) -> dict[Question, str]:
    """Return each question's title, with its sizes or first words if titles repeat."""
    plain = {each: _title(each, wordings[each], topics) for each in asked}
    alike = Counter(plain.values())
    return {
        each: title if alike[title] == 1 else f"{title}: {_distinction(each, wordings[each])}"
        for each, title in plain.items()
    }


def _title(asked: Question, wording: Mapping[str, Any], topics: Mapping[str, str]) -> str:
    if asked.question is None:
        return skill_title(Skill(FAMILY, problems.family_of(asked.kind)), topics)
    return skill_title(Skill(TOPIC, wording["topic"]), topics)


def _distinction(asked: Question, wording: Mapping[str, Any]) -> str:
    if asked.question is not None:
        return Truncator(texts.strip_markup(wording["prompt"])).chars(MAX_TITLE_LENGTH)
    sizes = ", ".join(f"{name} {size}" for name, size in problems.sizes_of_kind(asked.kind).items())
    return sizes if asked.time == 1 else f"{sizes} ({asked.time})"


def render_prompt(asked: Question, wording: Mapping[str, Any]) -> SafeString:
    """Return a concept question's prompt; "" for a problem, which is shown with its numbers."""
    return texts.render_block(wording["prompt"]) if asked.question is not None else SafeString()


def question_lines(
    figures: Mapping[Question, Figures],
    titles: Mapping[Question, str],
    positions: Mapping[Question, Sequence[int]],
) -> list[QuestionLine]:
    return [
        QuestionLine(
            key=asked.key,
            title=titles[asked],
            positions=", ".join(map(str, positions[asked])),
            asked=found.asked,
            facility=_share(found.facility, found.facility_within),
            discrimination=_discrimination(found),
            omission=_share(found.omission, found.omission_within),
        )
        for asked, found in figures.items()
    ]


def _share(value: float | None, within: tuple[float, float] | None) -> Value:
    if value is not None:
        return Value(texts.format_percent(100 * value), value)
    if within is None:
        return Value(NOTHING, why=_("too few asked"))
    low, high = (format_number(100 * end, 0) for end in within)
    return Value(_("%(low)s to %(high)s %%") % {"low": low, "high": high})


def others_figure(others: Others | None) -> Value | None:
    """Return how others did at a question, with their number."""
    if others is None:
        return None
    people = ngettext("%(count)s person", "%(count)s people", others.count)
    share = texts.format_percent(100 * others.facility)
    return Value(share, others.facility, why=people % {"count": others.count})


def _discrimination(figures: Figures) -> Value:
    value = figures.discrimination
    if value is not None:
        return Value(format_number(value, 2), value)
    if figures.asked < MIN_TO_CORRELATE:
        words = _("needs %(count)s students")
        return Value(NOTHING, why=words % {"count": MIN_TO_CORRELATE})
    if figures.is_constant:
        return Value(NOTHING, why=_("everyone earned the same"))
    return Value(NOTHING, why=_("cannot be worked out"))


# Mistakes


def mistake_lines(
    figures: Mapping[Question, Figures],
    titles: Mapping[Question, str],
    wordings: Mapping[Question, Mapping[str, Any]],
) -> list[MistakeLine]:
    """Return the named mistakes, the costliest first."""
    found = [
        _mistake_line(asked, titles[asked], wordings[asked], made)
        for asked, own in figures.items()
        for made in own.mistakes
    ]
    return sorted(found, key=lambda each: (-each.made.lost, -each.count, each.title))


def _mistake_line(
    asked: Question, title: str, wording: Mapping[str, Any], made: Mistake
) -> MistakeLine:
    label, name, feedback = _mistake_texts(asked, wording, made)
    return MistakeLine(
        question=asked.key,
        title=title,
        key=name,
        step=texts.render_line(label),
        feedback=texts.render_line(feedback),
        plain=texts.strip_markup(feedback),
        count=made.count,
        share=texts.format_percent(100 * made.share),
        lost=texts.format_points(made.lost),
        made=made,
    )


def _mistake_texts(
    asked: Question, wording: Mapping[str, Any], made: Mistake
) -> tuple[str, str, str]:
    """Return a mistake's step or choice, its name, and its feedback."""
    if asked.question is None:
        known = problems.mistakes_in_kind(asked.kind).get((made.step, made.key))
        return (known.label, made.key, known.feedback) if known else (made.step, made.key, "")
    for choice in wording["choices"]:
        if choice["key"] == made.key:
            return choice["text"], "", choice["feedback"]
    return "", made.key, ""


# A mistake, with the right matrix or choice, and the wrong one it leads to.
type Example = tuple[MistakeLine, Matrix | str, Matrix | str]


def examples(asked: Question, lines: Sequence[MistakeLine]) -> tuple[SafeString, list[Example]]:
    """Return an example problem, and the right and wrong values for each mistake."""
    made_up = problems.draw_sample_problem(asked.kind) if asked.kind and lines else None
    if made_up is None:
        return SafeString(), []
    steps = {step["key"]: step for step in made_up.shown["steps"]}
    found = []
    for each in lines:
        step = steps.get(each.made.step)
        wrong = made_up.wrong.get((each.made.step, each.made.key))
        if step is not None and wrong is not None:
            right = _shown(step, made_up.solution[each.made.step], _("Right"))
            found.append((each, right, _shown(step, wrong, _("By this mistake"))))
    return printed_question(made_up.shown) if found else SafeString(), found


def _shown(step: Mapping[str, Any], values: Any, caption: str) -> Matrix | str:
    if step["choices"]:
        return str(step["choices"][int(values)])
    return grids.solved_matrix(step, values, caption)
