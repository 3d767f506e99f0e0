"""Marking, with marks as the rows of grades keep them."""

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

import attention_core
from attention_core.catalogue import stored_problem
from attention_core.errors import AuthorError
from attention_core.grading import verdicts
from attention_core.grading.mark import AnsweredItem, Mark, mark_many
from quizzes.problems.answers import CHOICE_STEP
from quizzes.problems.catalogue import UnknownKind
from quizzes.problems.schemas import ChoiceWording, RawAnswer, StepMark, StoredVariant

CORE_VERSION = attention_core.__version__

# The verdicts of a step with something wrong in it.
NOT_RIGHT = (verdicts.MISTAKE, verdicts.NEAR, verdicts.PARTIAL, verdicts.WRONG)


@dataclass(frozen=True, slots=True, eq=False)
class Marked:
    """A mark as the row of a grade keeps it, with its points still exact.

    Equal marks of many answers may share one object, so it is compared by identity, not by value.
    """

    points: Fraction
    out_of: Fraction
    verdict: str
    mistake: str
    steps: list[StepMark]
    solution_changed: bool = False


def mark_numeric(answers: Iterable[tuple[StoredVariant, RawAnswer, int]]) -> list[Marked]:
    """Mark (variant, raw answer, points) in bulk, in the order given; equal marks may be shared.

    Raises:
        UnknownKind: a variant's family is no longer there.
    """
    try:
        answered = [
            AnsweredItem(stored_problem(variant), raw, _exact(points), variant["solution"])
            for variant, raw, points in answers
        ]
    except AuthorError as gone:
        raise UnknownKind(str(gone)) from gone
    marks = mark_many(answered)
    rows = {key: _as_row(mark) for key, mark in {id(mark): mark for mark in marks}.items()}
    return [rows[id(mark)] for mark in marks]


_exact = lru_cache(maxsize=1000)(Fraction)


def _as_row(mark: Mark) -> Marked:
    steps: list[StepMark] = [
        {
            "key": step.key,
            "verdict": step.verdict,
            "mistake": step.mistake,
            "cells": step.cells,
            "points": str(step.points),
            "out_of": str(step.out_of),
            "tolerance": step.tolerance,
        }
        for step in mark.steps
    ]
    return Marked(
        mark.points, mark.out_of, mark.verdict, mark.mistake, steps, mark.solution_changed
    )


def mark_choice(wording: ChoiceWording, raw: RawAnswer, points: int) -> Marked:
    """Mark the one step of a concept question: right, a mistake (the choice's key) or blank."""
    chosen = next(
        (choice for choice in wording["choices"] if choice["key"] == raw.get(CHOICE_STEP)), None
    )
    if chosen is None:
        return _choice_marked(verdicts.BLANK, "", points)
    if chosen["correct"]:
        return _choice_marked(verdicts.RIGHT, "", points)
    return _choice_marked(verdicts.MISTAKE, chosen["key"], points)


@lru_cache(maxsize=10_000)
def _choice_marked(verdict: str, mistake: str, points: int) -> Marked:
    out_of = _exact(points)
    earned = out_of if verdict == verdicts.RIGHT else Fraction()
    step: StepMark = {
        "key": CHOICE_STEP,
        "verdict": verdict,
        "mistake": mistake,
        "cells": None,
        "points": str(earned),
        "out_of": str(out_of),
        "tolerance": None,
    }
    return Marked(earned, out_of, verdict, mistake, [step])
