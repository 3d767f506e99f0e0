"""A text of formulas while it is being written: one variant of it, its mistakes, and help."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from attention_core import formulas
from attention_core.catalogue import draw_unproved, problem_to_json
from attention_core.formulas.text import read_lines
from attention_core.problems.family import Family, Problem
from attention_core.problems.mistakes import TRIVIAL_MISTAKES
from quizzes.problems.mistakes import KnownMistake, mistakes_of_problem
from quizzes.problems.schemas import Shown, StoredVariant
from quizzes.problems.solutions import Solution, solution_of
from quizzes.problems.wording import shown, wording_of

# More draws than most texts need until their `keep` lines are met.
SKETCH_DRAWS = 24
# A sketched family is drawn under this key; it is never stored.
SKETCH_KEY = "own_sketch"


@dataclass(frozen=True)
class Shape:
    """The name of a given or a step, and its sizes: none for a single number."""

    name: str
    sizes: Sequence[int]
    is_step: bool


@dataclass(frozen=True)
class Sketch:
    """A variant of a text that is still being written, not proven yet.

    Attributes:
        fit: whether its numbers meet the text's `keep` lines.
        lost: the steps in which some cells aren't numbers, as after a division by 0.
        offered: the sizes it can be asked at, by name, the default of each first.
        mistakes: that can be made in it, in the order of its steps.
        feedback: on every mistake of the text, by step and mistake.
        right: those, as pairs of a step and a mistake, which give the right result all the same.
        left_out: the mistakes that the text leaves out, by step.
        reworded: the feedback that the text words otherwise, by step and mistake.
        prose: the line and the words of all that students read as Markdown.
    """

    title: str
    fit: bool
    lost: Sequence[str]
    options: Mapping[str, int]
    offered: Mapping[str, Sequence[int]]
    shown: Shown
    solution: Solution
    mistakes: Sequence[KnownMistake]
    right: frozenset[tuple[str, str]]
    feedback: Mapping[tuple[str, str], str]
    left_out: Mapping[str, Sequence[str]]
    reworded: Mapping[str, Mapping[str, str]]
    prose: Sequence[tuple[int, str]]
    shapes: Sequence[Shape]
    cells: int
    minutes: float


def sketch_variant(
    text: str, seed: str, options: Mapping[str, int], trials: Mapping[str, Any] | None = None
) -> Sketch:
    """Return one variant of a text, in little time: the text is not tried, the variant not proven.

    Args:
        options: sizes; one that the text does not offer is left out.
        trials: which mistakes a proof of this text has switched off.

    Raises:
        FormulaError: a fault of the text.
    """
    family = (
        formulas.sketch(text, SKETCH_KEY)
        if trials is None
        else formulas.read(text, SKETCH_KEY, trials=trials)
    )
    lines = read_lines(text)
    sizes = {
        name: options[name] if options.get(name) in offered else offered[0]
        for name, offered in family.options.items()
    }
    problem, fit = _first_fit(family, sizes, seed)
    variant: StoredVariant = problem_to_json(problem)  # type: ignore[assignment]
    found = mistakes_of_problem(problem)
    return Sketch(
        title=family.title,
        fit=fit,
        lost=[key for key, each in problem.solution.items() if not np.isfinite(each).all()],
        options=sizes,
        offered=family.options,
        shown=shown(wording_of(problem, {}), variant=variant),
        solution=solution_of(problem, variant["solution"]),
        right=frozenset(_right_mistakes(problem, found)),
        mistakes=found,
        feedback={
            (step.key, known.key): known.feedback
            for step in family.steps
            for known in step.mistakes
        },
        left_out={step.name: step.keys("without") or () for step in lines.steps},
        reworded={
            step.name: {key: found.value for key, found in step.rewordings.items()}
            for step in lines.steps
        },
        prose=lines.prose,
        shapes=[
            *(Shape(each.key, np.shape(problem.givens[each.key]), False) for each in family.givens),
            *(Shape(each.key, problem.values[each.key].shape, True) for each in family.steps),
        ],
        cells=problem.cells,
        minutes=problem.minutes,
    )


def _first_fit(family: Family, sizes: Mapping[str, int], seed: str) -> tuple[Problem, bool]:
    """Return the first draw that meets the `keep` lines, or else the last one, and whether it does.

    Nothing is proven, so no tolerance is worked out either.
    """
    for draw in range(SKETCH_DRAWS):
        drawn = draw_unproved(family, sizes, seed, draw)
        problem = replace(drawn, tolerance={step.key: 0.0 for step in family.steps})
        with np.errstate(all="ignore"):
            whole = all(np.isfinite(each).all() for each in problem.solution.values())
            if whole and family.fit(problem.values):
                return problem, True
    return problem, False


def _right_mistakes(problem: Problem, found: Sequence[KnownMistake]) -> Iterator[tuple[str, str]]:
    """Yield the mistakes whose result is the step's own, to its decimals."""
    right = {step.key: problem.solution[step.key].tolist() for step in problem.family.steps}
    near = {step.key: 10.0**-step.decimals / 2 for step in problem.family.steps}
    for known in found:
        at, values = known.step, known.values
        # Hundreds of them, nearly all of which differ in their first number.
        if abs(_first(values) - _first(right[at])) < near[at] and np.all(
            np.abs(np.subtract(values, right[at])) < near[at]
        ):
            yield at, known.key


def _first(values: Any) -> float:
    while isinstance(values, list):
        values = values[0]
    return float(values)


def is_relied_on(mistake: str) -> bool:
    """Return whether marking goes by a mistake, so that no text may leave it out."""
    return mistake in TRIVIAL_MISTAKES


def edit_mistakes(
    text: str, step: str, *, without: Sequence[str], rewordings: Mapping[str, str]
) -> str:
    """Return the text with exactly these mistakes of a step left out, and these reworded."""
    return formulas.edit_mistakes(text, step, without=without, rewordings=rewordings)


def formula_reference() -> Mapping[str, Sequence[Any]]:
    """Return every sign, draw and function of the language with an example, by kind."""
    found: dict[str, list[Any]] = {}
    for entry in formulas.reference():
        found.setdefault(entry.kind, []).append(entry)
    return found
