"""Worked solutions, their programs, hints, and the first slip of an answer."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from attention_core.grading import verdicts
from attention_core.grading.reviewing import (
    Slip,
    first_slip,
    follow,
    follow_through_values,
    handed_on_exactly,
)
from attention_core.problems.code import numpy_program
from attention_core.problems.family import Problem
from quizzes.problems.drawing import load_problem
from quizzes.problems.marking import NOT_RIGHT
from quizzes.problems.schemas import RawAnswer, StepMark, StoredVariant


@dataclass(frozen=True)
class WorkedStep:
    """A step of the worked solution.

    Attributes:
        careful: the result when every intermediate result is rounded to three decimals; None if
            nothing is rounded.
        continued: what is right from the student's own earlier steps, where these were wrong.
        tolerance: how far from the exact values a right answer may be.
        exactly: the earlier steps that were typed in part, with something unreadable: this step
            continues from their exact values.
    """

    how: str
    latex: str
    values: Any
    feedback: Mapping[str, str]
    careful: Any = None
    continued: Any = None
    tolerance: float = 0.0
    exactly: Sequence[str] = ()


@dataclass(frozen=True)
class Solution:
    """The worked solution of a variant; empty if its family no longer exists.

    Attributes:
        steps: by key.
        program: all steps in NumPy, with the variant's numbers; "" if there is none.
        slip: the first number of the answer that is not right, worked out.
    """

    steps: Mapping[str, WorkedStep] = field(default_factory=dict)
    program: str = ""
    slip: Slip | None = None


def worked_solution(
    variant: StoredVariant, raw: RawAnswer | None = None, marks: Iterable[StepMark] = ()
) -> Solution:
    """Return the solution with this variant's numbers, and the feedback on mistakes.

    With a `raw` answer it also has how the student's own numbers go on, and the first slip, by the
    `marks` of its steps.

    Raises:
        UnknownKind: the variant's family no longer exists.
    """
    return solution_of(load_problem(variant), variant["solution"], raw, marks)


def solution_of(
    problem: Problem,
    solved: Mapping[str, Any],
    raw: RawAnswer | None = None,
    marks: Iterable[StepMark] = (),
) -> Solution:
    """Return the solution of a problem, proven or not, as `worked_solution` does of a variant.

    `solved` has the right values of each step.
    """
    followed = follow(problem, raw) if raw else []
    own, exactly = follow_through_values(followed), handed_on_exactly(followed)
    steps = {
        step.key: WorkedStep(
            step.how,
            step.worked(problem.values),
            solved[step.key],
            {mistake.key: mistake.feedback for mistake in step.mistakes}
            | {verdicts.OTHER_CHOICE: step.wrong_choice},
            careful=_listed(problem.careful.get(step.key)),
            continued=_listed(own.get(step.key)),
            tolerance=problem.tolerance[step.key],
            exactly=exactly.get(step.key, ()),
        )
        for step in problem.family.steps
    }
    cells = {mark["key"]: mark["cells"] for mark in marks if mark["verdict"] in NOT_RIGHT}
    return Solution(steps, numpy_program(problem), first_slip(problem, followed, cells))


@dataclass(frozen=True)
class StepHints:
    """Hints on a step before it is solved.

    Attributes:
        nudge: a sentence, in Markdown.
        formula: LaTeX in symbols.
        cell: LaTeX of the first cell, worked out.
    """

    key: str
    nudge: str
    formula: str
    cell: str


def hints_of(variant: StoredVariant) -> list[StepHints]:
    """Return the hints on each step of a variant, with its numbers.

    Raises:
        UnknownKind: the variant's family no longer exists.
    """
    problem = load_problem(variant)
    return [
        StepHints(step.key, step.nudge, step.formula, step.worked(problem.values))
        for step in problem.family.steps
    ]


def _listed(array: np.ndarray | None) -> Any:
    return None if array is None else array.tolist()
