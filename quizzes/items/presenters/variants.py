"""Variants of one kind, and questions of a pool, side by side for their authors.

Each variant comes with its solution, the result of every known mistake, and how hard it is; each
question is as a student sees it.
"""

from collections.abc import Iterable, Mapping, Sequence
from math import isfinite
from statistics import median
from typing import Any

from django.utils.http import urlencode
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from design.matrix import format_number
from quizzes import problems
from quizzes.items.presenters import grids, texts
from quizzes.items.presenters.asked_item import step_of
from quizzes.items.presenters.worked_solution import printed_question, solved_steps
from quizzes.items.presenters.written_question import WrittenQuestion, with_preview
from quizzes.models import ConceptQuestion, StruckOut
from quizzes.problems import Difficulty, KnownMistake

# Each with its attribute of `Difficulty`, its decimals, its name and its definition.
MEASURES = (
    (
        "cells",
        0,
        gettext_lazy("Cells to fill in"),
        gettext_lazy("Cells that are already filled in don’t count."),
    ),
    (
        "minutes",
        1,
        gettext_lazy("Minutes"),
        gettext_lazy(
            "For a practised student who makes no mistakes, at a fixed number of seconds per cell."
        ),
    ),
    (
        "largest_given",
        1,
        gettext_lazy("Largest number given"),
        gettext_lazy("Ignoring its sign. Token IDs count too."),
    ),
    (
        "largest_result",
        2,
        gettext_lazy("Largest result"),
        gettext_lazy("Over all steps, ignoring its sign."),
    ),
    (
        "mistakes",
        0,
        gettext_lazy("Mistakes told apart"),
        gettext_lazy("Known mistakes that are possible with these numbers."),
    ),
    (
        "margin",
        0,
        gettext_lazy("Margin"),
        gettext_lazy(
            "How far apart the two closest results are, right or mistaken, "
            "counted in tolerances. Only variants with a margin above five are "
            "asked. A dash means the results are whole numbers."
        ),
    ),
)


def difficulty_spread(
    variants: Iterable[Mapping[str, Any]],
) -> list[tuple[str, str, Iterable[str]]]:
    """Return the name, meaning, and (least, median, most) of each measure of difficulty."""
    found = [problems.difficulty_of(variant) for variant in variants]
    return [
        (str(name), str(meaning), [*_least_middle_most(found, measure, decimals)])
        for measure, decimals, name, meaning in MEASURES
    ]


def _least_middle_most(found: Sequence[Difficulty], measure: str, decimals: int) -> Iterable[str]:
    values = [getattr(each, measure) for each in found]
    for value in (min(values), median(values), max(values)):
        yield _measured(value, decimals)


def _measured(value: float, decimals: int) -> str:
    return format_number(round(value, decimals)) if isfinite(value) else "–"


def difficulty_facts(variant: Mapping[str, Any]) -> tuple[tuple[str, str], ...]:
    """Return the measures of a variant's difficulty, as names and texts."""
    found = problems.difficulty_of(variant)
    return tuple(
        (str(name), _measured(getattr(found, measure), decimals))
        for measure, decimals, name, _meaning in MEASURES
    )


def variant_context(
    variant: Mapping[str, Any], *, number: int = 1, withdrawal: StruckOut | None = None
) -> dict[str, Any]:
    """Return a variant as its student is asked it, then everything the authors' page shows.

    `withdraw` is the query of the page that withdraws it; `withdrawal` is its withdrawal.

    Raises:
        UnknownKind: its family no longer exists.
    """
    shown = problems.shown(problems.variant_wording(variant), variant=variant)
    solution = problems.worked_solution(variant)
    steps = solved_steps(shown, solution.steps)
    return {
        "number": number,
        "withdraw": urlencode({"kind": variant["kind"], "seed": variant["seed"]}),
        "asked": printed_question(shown),
        "steps": tuple(steps.values()),
        "program": solution.program,
        "mistakes": tuple(
            _mistake(step_of(shown, known.step), known, steps[known.step].caption)
            for known in problems.mistakes_of(variant)
        ),
        "facts": difficulty_facts(variant),
        "withdrawal": withdrawal,
    }


def _mistake(step: Mapping[str, Any], known: KnownMistake, caption: SafeString) -> dict[str, Any]:
    """Return the result of a mistake: an array, or one of the choices."""
    choices = step["choices"]
    return {
        "step": caption,
        "key": known.key,
        "matrix": None if choices else grids.solved_matrix(step, known.values, _("Results")),
        "choice": choices[int(known.values)] if choices else "",
        "feedback": texts.render_line(known.feedback),
    }


def render_pooled_questions(
    questions: Iterable[ConceptQuestion],
) -> list[tuple[ConceptQuestion, str]]:
    """Return the questions that a slot may ask, each with its HTML as an author reviews it."""
    return [
        (question, with_preview(WrittenQuestion.stored(question), number).html)
        for number, question in enumerate(questions, start=1)
    ]
