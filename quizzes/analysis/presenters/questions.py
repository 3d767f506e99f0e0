"""Slots and questions with their figures, and what to do about those that stand out."""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.safestring import SafeString
from django.utils.text import Truncator
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from design.matrix import format_number
from quizzes import problems
from quizzes.analysis.flags import Flag, flags_of, urgency
from quizzes.analysis.queries import Others, Question
from quizzes.analysis.slots import SlotFigures
from quizzes.analysis.statistics import MIN_TO_CORRELATE, Figures
from quizzes.items.presenters import texts
from quizzes.items.presenters.skills import skill_title
from quizzes.items.skills import TOPIC, Skill

MAX_TITLE_LENGTH = 80
NOTHING = "–"


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
    flags: Sequence[tuple[str, str]]
    is_easy: bool
    urgency: float

    @property
    def count(self) -> str:
        words = ngettext("%(count)s student", "%(count)s students", self.asked)
        return words % {"count": self.asked}


@dataclass(frozen=True)
class SlotLine:
    """A slot with its figures, and its questions if it asked several."""

    figures: QuestionLine
    questions: Sequence[QuestionLine]

    @property
    def flagged(self) -> Sequence[QuestionLine]:
        """The flagged questions, or the slot if it is flagged and none of them is."""
        return [each for each in self.questions if each.flags] or (
            [self.figures] if self.figures.flags else []
        )


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
        return problems.title_of_kind(asked.kind)
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
        _question_line(asked.key, titles[asked], ", ".join(map(str, positions[asked])), found)
        for asked, found in figures.items()
    ]


def _question_line(
    key: str, title: str, positions: str, found: Figures, *, is_part: bool = False
) -> QuestionLine:
    # In a slot of several, some are always easy.
    flags = [flag for flag in flags_of(found) if not (is_part and flag == Flag.EASY)]
    return QuestionLine(
        key=key,
        title=title,
        positions=positions,
        asked=found.asked,
        facility=_share(found.facility, found.facility_within),
        discrimination=_discrimination(found),
        omission=_share(found.omission, found.omission_within),
        flags=[_flag_words(flag, found) for flag in flags],
        is_easy=flags == [Flag.EASY],
        urgency=urgency(found),
    )


def slot_lines(
    slots: Iterable[SlotFigures[Question]],
    titles: Mapping[Question, str],
    wordings: Mapping[Question, Mapping[str, Any]],
    topics: Mapping[str, str],
    readable: Collection[Question],
) -> list[SlotLine]:
    """Return a line for each slot; `readable` are the questions that have a page."""
    lines = []
    for each in slots:
        own = each.asked
        named = list(dict.fromkeys(_title(one, wordings[one], topics) for one in own))
        title = titles[own[0]] if len(own) == 1 else " / ".join(named)
        key = own[0].key if len(own) == 1 and own[0] in readable else ""
        within = titles
        if len(named) == 1:
            within = {one: titles[one].removeprefix(f"{named[0]}: ") for one in own}
        questions = [
            _question_line(one.key, within[one], str(each.position), found, is_part=True)
            for one, found in each.questions.items()
            if len(own) > 1
        ]
        line = _question_line(key, title, str(each.position), each.figures)
        lines.append(SlotLine(line, questions))
    return lines


def _flag_words(flag: Flag, figures: Figures) -> tuple[str, str]:
    """Return the figure that a flag is about, and what to do."""
    if flag == Flag.NEGATIVE:
        figure = _("Discrimination %(value)s") % {"value": _discrimination(figures).words}
        return figure, _(
            "Students who did well on the rest of the quiz did worse here. Check the key, and"
            " check that the text can’t be read in two ways."
        )
    if flag == Flag.BLANK:
        figure = _("Left blank %(value)s") % {"value": percent(figures.omission)}
        return figure, _(
            "Two thirds or more left it empty. Check that the text is clear and that there was"
            " enough time. If not, void the question."
        )
    figure = _("Facility %(value)s") % {"value": percent(figures.facility)}
    if flag == Flag.HARD:
        return figure, _(
            "Students earned less than a fifth of the points. Check the key first. If it’s"
            " right, teach this again, or void the question."
        )
    return figure, _(
        "Nearly everyone got it right, so it doesn’t tell students apart. Keep "
        "it as a warm-up, or ask something harder next time."
    )


def percent(share: float | None) -> str:
    return NOTHING if share is None else texts.format_percent(100 * share)


def _share(value: float | None, within: tuple[float, float] | None) -> Value:
    if value is not None:
        return Value(texts.format_percent(100 * value), value)
    if within is None:
        return Value(NOTHING, why=_("too few asked"))
    low, high = (format_number(100 * end, 0) for end in within)
    return Value(_("%(low)s to %(high)s%%") % {"low": low, "high": high})


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
    return Value(NOTHING, why=_("can’t be worked out"))
