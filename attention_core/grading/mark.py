"""Marks: what each step of an answer earns, and what it is called.

Answers to problems of one family and shape are marked together, as arrays with a batch axis in
front, so that a mark costs microseconds under load. One answer is a batch of one.

The rules are tried in this order for each step: right, follows, a named mistake, near, partial or
wrong; blank where nothing was typed. Points are exact fractions.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Any

import numpy as np

from attention_core.errors import UnreadableNumber
from attention_core.grading.parse import LONGEST, parse_number
from attention_core.grading.tolerance import NEAR_WITHIN, within
from attention_core.grading.verdicts import (
    BLANK,
    FIXED,
    FOLLOWS,
    MISTAKE,
    NEAR,
    OTHER_CHOICE,
    PARTIAL,
    RIGHT,
    UNREADABLE,
    WRONG,
)
from attention_core.maths.arrays import Array
from attention_core.problems.family import Problem, Step, Values
from attention_core.problems.rounding import EXACT

# The state of a cell, and what it is called; from _BLANK on it is the same under any verdict.
_RIGHT, _WRONG, _NEAR, _BLANK, _UNREADABLE, _FIXED = range(6)
_CELLS = np.array([RIGHT, WRONG, NEAR, BLANK, UNREADABLE, FIXED], dtype=object)

_SAME_SOLUTION = 1e-9


@dataclass(frozen=True, slots=True)
class StepMark:
    """What one step earned.

    Attributes:
        key: the step's.
        verdict: a word of `verdicts`.
        mistake: the key of the named mistake, else "".
        cells: for each cell right, near, wrong, blank, unreadable or fixed; nested as the step is.
        points, out_of: exact.
    """

    key: str
    verdict: str
    mistake: str
    cells: Any
    points: Fraction
    out_of: Fraction


@dataclass(frozen=True, slots=True)
class Mark:
    """What an item earned, step by step.

    Attributes:
        solution_changed: today's code computes another solution than the stored one, so this
            mark must not be given to anybody unseen.
    """

    steps: tuple[StepMark, ...]
    points: Fraction
    out_of: Fraction
    solution_changed: bool = False

    @property
    def verdict(self) -> str:
        """That of the first step that is not right; right if all are."""
        return next((step.verdict for step in self.steps if step.verdict != RIGHT), RIGHT)

    @property
    def mistake(self) -> str:
        """The mistake that goes with the verdict, else ""."""
        return next((step.mistake for step in self.steps if step.verdict != RIGHT), "")


@dataclass(frozen=True, slots=True)
class Answered:
    """One item to mark: a problem, what was typed for it, and what it is worth.

    Attributes:
        answers: step key to the raw text of its cells, nested as the step is. Whatever does not
            fit that shape counts as blank.
        points: None gives one point for each unit of a step's weight.
        solution: the stored solution, to notice that today's code computes another.
    """

    problem: Problem
    answers: Mapping[str, Any]
    points: Fraction | None = None
    solution: Mapping[str, Array] | None = None


def mark(problem: Problem, answers: Mapping[str, Any], points: Fraction | None = None) -> Mark:
    """Mark one answer. Never raises for what a learner typed.

    Args:
        problem: with its tolerances, as `draw` returns it.
        answers: step key to the raw text of its cells: "0.5", ["0.5", "1"] or [["0.5"], ["1"]];
            of a choice, its place among the choices, counted from 0: "2".
        points: what the item is worth; one a step unless given.

    >>> from attention_core import draw
    >>> problem = draw("dot_score", seed=7)
    >>> mark(problem, {"score": "no idea", "scaled": ""}).verdict
    'wrong'
    """
    return mark_many([Answered(problem, answers, points)])[0]


def mark_many(items: Sequence[Answered]) -> list[Mark]:
    """Mark many answers at once, each as `mark` would, in the order given.

    >>> from attention_core import draw
    >>> problem = draw("dot_score", seed=7)
    >>> right = {"score": f"{problem.values.score:.3f}", "scaled": f"{problem.values.scaled:.3f}"}
    >>> [mark.verdict for mark in mark_many([Answered(problem, right), Answered(problem, {})])]
    ['right', 'blank']
    """
    batches: dict[object, list[int]] = defaultdict(list)
    for place, item in enumerate(items):
        shapes = tuple(given.shape for given in item.problem.givens.values())
        batches[item.problem.family.key, shapes].append(place)
    marks: dict[int, Mark] = {}
    for places in batches.values():
        batch = [items[place] for place in places]
        marks.update(zip(places, _mark_batch(batch), strict=True))
    return [marks[place] for place in range(len(items))]


def continued(problem: Problem, answers: Mapping[str, Any]) -> dict[str, Array]:
    """The right computation from the student's own earlier steps, at each where it leads elsewhere.

    >>> from attention_core import draw
    >>> problem = draw("dot_score", seed=7)
    >>> own = continued(problem, {"score": "8"})
    >>> bool(np.isclose(own["scaled"], 8 / problem.givens["q"].size ** 0.5))
    True
    """
    answered = [Answered(problem, answers)]
    givens = {name: given[None] for name, given in problem.givens.items()}
    exact, basis = problem.family.solve(givens), Values(givens)
    found = {}
    for step in problem.family.steps:
        typed = _Typed(step, answered, exact)
        with np.errstate(all="ignore"):
            own = step.compute(EXACT, basis)
        if np.isfinite(own).all() and not within(own, typed.exact, typed.tolerance).all():
            found[step.key] = own[0]
        basis[step.key] = typed.basis()
    return found


def _mark_batch(batch: Sequence[Answered]) -> list[Mark]:
    first = batch[0].problem
    family = first.family
    givens = {
        name: np.stack([item.problem.givens[name] for item in batch]) for name in first.givens
    }
    exact = family.solve(givens)
    basis = Values(givens)
    all_right = np.ones(len(batch), bool)
    columns: list[list[StepMark]] = []
    weights = sum(step.weight for step in family.steps)
    for step in family.steps:
        typed = _Typed(step, batch, exact)
        verdicts, mistakes = _judge(step, typed, exact, basis, all_right)
        columns.append(_step_marks(step, typed, verdicts, mistakes, batch, weights))
        all_right &= np.array([verdict == RIGHT for verdict in verdicts])
        basis[step.key] = typed.basis()
    changed = _solution_changed(batch, exact)
    return [
        Mark(
            steps,
            _total([step.points for step in steps]),
            _out_of(batch[place], weights),
            bool(changed[place]),
        )
        for place, steps in enumerate(zip(*columns, strict=True))
    ]


class _Typed:
    """One step of a batch: the numbers typed, and the state of every cell."""

    def __init__(self, step: Step, batch: Sequence[Answered], exact: Values) -> None:
        self.exact = exact[step.key]
        shape = self.exact.shape[1:]
        size = int(np.prod(shape))
        fixed = step.fixed(exact)
        self.fixed = (
            np.zeros(self.exact.shape, bool)
            if fixed is None
            else np.broadcast_to(fixed, self.exact.shape)
        )
        numbers = np.full((len(batch), size), np.nan)
        states = np.full((len(batch), size), _BLANK, dtype=np.int8)
        for row, item in enumerate(batch):
            for cell, text in enumerate(_texts(item.answers.get(step.key), shape)):
                if text and not text.isspace():
                    numbers[row, cell], states[row, cell] = _read(text, step, item.problem)
        self.numbers = np.where(self.fixed, self.exact, numbers.reshape(self.exact.shape))
        self.states = np.where(self.fixed, np.int8(_FIXED), states.reshape(self.exact.shape))
        self.tolerance = np.array([item.problem.tolerance[step.key] for item in batch]).reshape(
            (-1,) + (1,) * len(shape)
        )
        self.cell_axes = tuple(range(1, self.exact.ndim))
        self.is_choice = bool(step.choices)
        self.blank = ~np.any((self.states != _BLANK) & ~self.fixed, axis=self.cell_axes)

    def matches(self, wanted: Array, tolerances: int = 1) -> np.ndarray:
        """Which answers agree with the wanted array in every cell that is typed."""
        if wanted.shape != self.exact.shape:
            return np.zeros(len(self.exact), bool)
        agree = within(self.numbers, wanted, tolerances * self.tolerance)
        return np.asarray((agree | self.fixed).all(axis=self.cell_axes))

    def cells_right(self) -> np.ndarray:
        agree = within(self.numbers, self.exact, self.tolerance)
        return np.asarray(agree & ~self.fixed)

    def basis(self) -> Array:
        """What this step hands on: the student's array where one can follow from it."""
        readable = np.isfinite(self.numbers).all(axis=self.cell_axes)
        flat = self.numbers.reshape(len(self.numbers), -1)
        # A lone number is always equal to itself; only 0 makes what follows trivial.
        likeness = flat[:, :1] if flat.shape[1] > 1 else np.zeros((1, 1))
        degenerate = (flat == likeness).all(axis=1) & (not self.is_choice)
        usable = (readable & ~degenerate).reshape(self.tolerance.shape)
        return np.where(usable, self.numbers, self.exact)


def _judge(
    step: Step, typed: _Typed, exact: Values, basis: Values, all_right: np.ndarray
) -> tuple[list[str], list[str]]:
    """The verdict on this step for every answer of the batch, and the mistake's key or ""."""
    with np.errstate(all="ignore"):
        following = step.compute(EXACT, basis)
        follows = typed.matches(following)
        right = typed.matches(typed.exact) | (follows & all_right)
        verdicts = np.full(len(right), WRONG, dtype=object)
        mistakes = np.full(len(right), "", dtype=object)
        verdicts[typed.blank] = BLANK
        verdicts[follows & ~typed.blank] = FOLLOWS
        verdicts[right & ~typed.blank] = RIGHT
        if step.choices:
            other = verdicts == WRONG
            verdicts[other], mistakes[other] = MISTAKE, OTHER_CHOICE
        for known in step.mistakes if (verdicts == WRONG).any() else ():
            applies = known.when(exact)
            if np.any(applies):
                made = typed.matches(known.compute(EXACT, exact))
                made |= typed.matches(known.compute(EXACT, basis))
                made &= (verdicts == WRONG) & applies
                verdicts[made], mistakes[made] = MISTAKE, known.key
        open_still = verdicts == WRONG
        if open_still.any():
            near = typed.matches(typed.exact, NEAR_WITHIN) | typed.matches(following, NEAR_WITHIN)
            some = typed.cells_right().any(axis=typed.cell_axes)
            verdicts[open_still & some] = PARTIAL
            verdicts[open_still & near] = NEAR
    return verdicts.tolist(), mistakes.tolist()


def _step_marks(
    step: Step,
    typed: _Typed,
    verdicts: list[str],
    mistakes: list[str],
    batch: Sequence[Answered],
    weights: int,
) -> list[StepMark]:
    right_cells = typed.cells_right()
    states = np.where(right_cells, np.int8(_RIGHT), np.int8(_WRONG))
    nearly = np.array([verdict == NEAR for verdict in verdicts]).reshape(typed.tolerance.shape)
    states = np.where(nearly & ~right_cells, np.int8(_NEAR), states)
    earned = np.array([verdict in (RIGHT, FOLLOWS) for verdict in verdicts])
    states = np.where(earned.reshape(typed.tolerance.shape), np.int8(_RIGHT), states)
    states = np.where(typed.states >= _BLANK, typed.states, states)
    cells = _CELLS[states].tolist()
    counted = (~typed.fixed).sum(axis=typed.cell_axes).tolist()
    hits = right_cells.sum(axis=typed.cell_axes).tolist()
    marks = []
    for place, item in enumerate(batch):
        verdict = verdicts[place]
        part = hits[place] if verdict == PARTIAL else 0
        points, out_of = _points(verdict, part, counted[place], step.weight, weights, item.points)
        marks.append(StepMark(step.key, verdict, mistakes[place], cells[place], points, out_of))
    return marks


@lru_cache(maxsize=4096)
def _points(
    verdict: str, hits: int, counted: int, weight: int, weights: int, points: Fraction | None
) -> tuple[Fraction, Fraction]:
    out_of = Fraction(weight) if points is None else points * weight / weights
    if verdict in (RIGHT, FOLLOWS):
        return out_of, out_of
    if verdict == NEAR:
        return out_of / 2, out_of
    if verdict == PARTIAL:
        return out_of * hits / counted, out_of
    return Fraction(), out_of


def _out_of(item: Answered, weights: int) -> Fraction:
    return Fraction(weights) if item.points is None else item.points


def _total(points: list[Fraction]) -> Fraction:
    # Adding fractions is slow next to everything else here, and many items have one step.
    return sum(points[1:], points[0])


def _texts(answer: Any, shape: tuple[int, ...]) -> list[str]:
    """The raw cells in reading order, as many as the shape has; what does not fit is blank."""
    rows: list[Any]
    if not shape:
        return [answer if isinstance(answer, str) else ""]
    rows = answer if isinstance(answer, list) else []
    if len(shape) == 1:
        # A vector is one row, typed flat or as a matrix of one row.
        if rows and isinstance(rows[0], list):
            rows = rows[0]
        row = [text if isinstance(text, str) else "" for text in rows[: shape[0]]]
        return row + [""] * (shape[0] - len(row))
    cells: list[str] = []
    for index in range(shape[0]):
        cells += _texts(rows[index] if index < len(rows) else None, shape[1:])
    return cells


def _read(text: str, step: Step, problem: Problem) -> tuple[float, int]:
    if step.choices:
        keys = [str(place) for place in range(len(problem.words[step.choices]))]
        return (float(text), _RIGHT) if text in keys else (np.nan, _BLANK)
    # What is too long to be a number is not worth keeping either.
    if len(text) > LONGEST:
        return np.nan, _UNREADABLE
    return _read_short(text, step.decimals == 0)


@lru_cache(maxsize=50_000)  # The same texts come back by the thousand in a batch of answers.
def _read_short(text: str, integer: bool) -> tuple[float, int]:
    try:
        return parse_number(text, integer=integer).value, _RIGHT
    except UnreadableNumber:
        return np.nan, _UNREADABLE


def _solution_changed(batch: Sequence[Answered], exact: Values) -> np.ndarray:
    """Which items were stored with another solution than the one computed now."""
    changed = np.zeros(len(batch), bool)
    keys = {step.key for step in batch[0].problem.family.steps}
    stored = [(place, item.solution) for place, item in enumerate(batch) if item.solution]
    comparable = []
    for place, solution in stored:
        if {key: was.shape for key, was in solution.items()} == {
            key: exact[key].shape[1:] for key in keys
        }:
            comparable.append((place, solution))
        else:
            changed[place] = True
    if comparable:
        places = [place for place, _ in comparable]
        for key in keys:
            was = np.stack([solution[key] for _, solution in comparable])
            apart = np.abs(exact[key][places] - was) > _SAME_SOLUTION
            changed[places] |= apart.any(axis=tuple(range(1, apart.ndim)))
    return changed
