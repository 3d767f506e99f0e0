"""Choices, and named mistakes with examples."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from design.matrix import Matrix
from quizzes import problems
from quizzes.analysis.choices import NO_CHOICE, ChoiceCount
from quizzes.analysis.presenters.questions import percent
from quizzes.analysis.queries import Question
from quizzes.analysis.statistics import Figures, Mistake
from quizzes.items.presenters import grids, texts
from quizzes.items.presenters.worked_solution import printed_question

# The costliest mistakes of a quiz that a page shows.
MAX_MISTAKES = 10


@dataclass(frozen=True)
class ChoiceLine:
    """A choice of a concept question, with how many chose it."""

    text: SafeString
    raw_feedback: str
    note: str
    is_right: bool
    count: str
    share: str
    in_weakest: str
    in_best: str

    @property
    def feedback(self) -> SafeString:
        return texts.render_line(self.raw_feedback)


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
    in_weakest: str
    in_best: str
    made: Mistake


# Choices


def choice_lines(counts: Iterable[ChoiceCount], wording: Mapping[str, Any]) -> list[ChoiceLine]:
    """Return a line for each choice of a concept question; the last may be of blank answers."""
    offered = {choice["key"]: choice for choice in wording["choices"]}
    return [
        ChoiceLine(
            text=texts.render_line(_choice_text(each.key, offered)),
            raw_feedback=offered.get(each.key, {}).get("feedback", ""),
            note=_choice_note(each, offered),
            is_right=each.is_credited or bool(offered.get(each.key, {}).get("correct")),
            count=_("withheld") if each.count is None else str(each.count),
            share=percent(each.share),
            in_weakest=percent(each.in_weakest),
            in_best=percent(each.in_best),
        )
        for each in counts
    ]


def _choice_text(key: str, offered: Mapping[str, Mapping[str, Any]]) -> str:
    if key == NO_CHOICE:
        return _("Left blank")
    return offered[key]["text"] if key in offered else _("No longer offered: %s") % key


def _choice_note(each: ChoiceCount, offered: Mapping[str, Mapping[str, Any]]) -> str:
    if offered.get(each.key, {}).get("correct"):
        return _("right answer")
    return _("accepted as right") if each.is_credited else ""


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
        share=percent(made.share),
        lost=texts.format_points(made.lost),
        in_weakest=percent(made.in_weakest),
        in_best=percent(made.in_best),
        made=made,
    )


def _mistake_texts(
    asked: Question, wording: Mapping[str, Any], made: Mistake
) -> tuple[str, str, str]:
    """Return a mistake's step or choice, its name, and its feedback."""
    if asked.question is None:
        place, family = (made.step, made.key), problems.family_of(asked.kind)
        known = problems.mistakes_in_kind(asked.kind).get(place)
        # Marked by a later version, which corrects the one that was asked.
        known = known or problems.mistakes_of_family(family).get(place)
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
