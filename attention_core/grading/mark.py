"""Marking: the points, verdicts and mistakes of each step of an answer.

Answers to problems of one family and shape are marked together, as arrays with a batch axis in
front, so that a mark costs microseconds under load. One answer is a batch of one.

The rules are tried in this order for each step: right, follows, a named mistake, near, partial or
wrong; blank where nothing was typed. Points are exact fractions.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import isnan
from typing import Any, NamedTuple

import numpy as np

from attention_core.catalogue import StoredProblem
from attention_core.grading.following import Basis
from attention_core.grading.typed import CellState, TypedStep
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
from attention_core.maths.arrays import Array, Nested, shape_of
from attention_core.problems.family import Problem, Step, Values
from attention_core.problems.rounding import EXACT
from attention_core.problems.tolerance import NEAR_TOLERANCES

# The word for each state of a cell.
_CELLS = np.array([RIGHT, WRONG, NEAR, BLANK, UNREADABLE, FIXED], dtype=object)

_SAME_SOLUTION = 1e-9
_HALF = Fraction(1, 2)


@dataclass(frozen=True, slots=True)
class StepMark:
    """The mark of one step.

    Attributes:
        key: the key of the step.
        verdict: a word of `verdicts`.
        mistake: the key of the named mistake, else "".
        cells: for each cell right, near, wrong, blank, unreadable or fixed; nested as the step is.
        points, out_of: exact fractions.
        tolerance: the tolerance around the right result from the student's own earlier steps;
            None where it was not computed, as it decided nothing.
    """

    key: str
    verdict: str
    mistake: str
    cells: Any
    points: Fraction
    out_of: Fraction
    tolerance: float | None = None


@dataclass(frozen=True, slots=True)
class Mark:
    """The mark of an item, step by step.

    Attributes:
        solution_changed: whether the code now computes another solution than the stored one, so
            that somebody has to look at this mark before it counts.
    """

    steps: tuple[StepMark, ...]
    points: Fraction
    out_of: Fraction
    solution_changed: bool = False

    @property
    def verdict(self) -> str:
        """The verdict of the first step that is not right; right if all are."""
        return next((step.verdict for step in self.steps if step.verdict != RIGHT), RIGHT)

    @property
    def mistake(self) -> str:
        """The mistake that goes with the verdict, else ""."""
        return next((step.mistake for step in self.steps if step.verdict != RIGHT), "")


class AnsweredItem(NamedTuple):
    """An item to mark: a problem, the typed answers, and the points it is worth.

    Attributes:
        problem: a problem, or a stored one, whose numbers may be lists; they become arrays with
            the others of its batch.
        answers: step key to the raw text of its cells, nested as the step is. Texts that do not
            fit that shape count as blank.
        points: None gives one point for each unit of a step's weight.
        solution: the stored solution, to notice that the code now computes another.
    """

    problem: Problem | StoredProblem
    answers: Mapping[str, Any]
    points: Fraction | None = None
    solution: Mapping[str, Array | Nested] | None = None


def mark(problem: Problem, answers: Mapping[str, Any], points: Fraction | None = None) -> Mark:
    """Mark one answer. Never raises for what a learner typed.

    Args:
        problem: with its tolerances, as `draw` returns it.
        answers: step key to the raw text of its cells: "0.5", ["0.5", "1"] or [["0.5"], ["1"]];
            of a choice, its place among the choices, counted from 0: "2".
        points: what the item is worth; the sum of the steps' weights unless given.

    >>> from attention_core import draw
    >>> problem = draw("dot_score", seed=7)
    >>> mark(problem, {"score": "no idea", "scaled": ""}).verdict
    'wrong'
    """
    return mark_many([AnsweredItem(problem, answers, points)])[0]


def mark_many(items: Sequence[AnsweredItem]) -> list[Mark]:
    """Mark many answers at once, each as `mark` would, in the order given.

    >>> from attention_core import draw
    >>> problem = draw("dot_score", seed=7)
    >>> right = {"score": f"{problem.values.score:.3f}", "scaled": f"{problem.values.scaled:.3f}"}
    >>> items = [AnsweredItem(problem, right), AnsweredItem(problem, {})]
    >>> [mark.verdict for mark in mark_many(items)]
    ['right', 'blank']
    """
    batches: dict[object, list[int]] = defaultdict(list)
    for place, item in enumerate(items):
        shapes = tuple([shape_of(given) for given in item.problem.givens.values()])
        # By the family itself: two versions of a stored one have other formulas.
        batches[item.problem.family, shapes].append(place)
    marks: dict[int, Mark] = {}
    for places in batches.values():
        batch = [items[place] for place in places]
        marks.update(zip(places, _mark_batch(batch), strict=True))
    return [marks[place] for place in range(len(items))]


def _mark_batch(batch: Sequence[AnsweredItem]) -> list[Mark]:
    first = batch[0].problem
    family = first.family
    givens = {
        name: np.array([item.problem.givens[name] for item in batch], dtype=np.float64)
        for name in first.givens
    }
    exact = family.solve(givens)
    answers = [(item.problem, item.answers) for item in batch]
    basis = Basis(Values(givens))
    all_right = np.ones(len(batch), bool)
    columns: list[list[StepMark]] = []
    weights = sum(step.weight for step in family.steps)
    for step in family.steps:
        typed = TypedStep.read(step, answers, exact)
        judged = _judge(step, typed, exact, basis, all_right)
        columns.append(_step_marks(step, typed, judged, batch, weights))
        all_right &= judged.verdicts == RIGHT
        basis.add(step, typed)
    changed = _solution_changed(batch, exact).tolist()
    # Many answers earn the same mark, which is built once.
    made: dict[object, Mark] = {}
    marks = []
    for item, steps, was_changed in zip(batch, zip(*columns, strict=True), changed, strict=True):
        same = (*map(id, steps), was_changed)
        if same not in made:
            total = _total([step.points for step in steps])
            made[same] = Mark(steps, total, _out_of(item, weights), was_changed)
        marks.append(made[same])
    return marks


@dataclass(frozen=True, slots=True)
class _Judgement:
    """The judgement of one step, for every answer of a batch.

    Attributes:
        verdicts, mistakes: the words; no mistake is "".
        cells: which cells are right, against the exact values or against the right result from
            own numbers, whichever are more.
        near: which answers are within `NEAR_TOLERANCES` tolerances of either.
        tolerance: around the right result from own numbers; NaN where it was not computed.
    """

    verdicts: np.ndarray
    mistakes: np.ndarray
    cells: np.ndarray
    near: np.ndarray
    tolerance: Array


def _judge(
    step: Step, typed: TypedStep, exact: Values, basis: Basis, all_right: np.ndarray
) -> _Judgement:
    cells = typed.agree(typed.exact, typed.tolerance)
    blank, right = typed.blank, typed.whole(cells)
    judged = _Judgement(
        np.where(blank, BLANK, np.where(right, RIGHT, WRONG)).astype(object),
        np.full(len(blank), "", dtype=object),
        cells,
        np.zeros(len(blank), bool),
        np.full(len(blank), np.nan),
    )
    places = np.flatnonzero(~(blank | right))
    if places.size:
        if len(places) < len(blank):
            exact = Values({key: array[places] for key, array in exact.items()})
            typed, basis, all_right = typed.at(places), basis.at(places), all_right[places]
        with np.errstate(all="ignore"):
            rest = _judge_inexact(step, typed, exact, basis, all_right, cells[places])
        judged.verdicts[places] = rest.verdicts
        judged.mistakes[places] = rest.mistakes
        judged.cells[places] = rest.cells
        judged.near[places] = rest.near
        judged.tolerance[places] = rest.tolerance
    return judged


def _judge_inexact(
    step: Step,
    typed: TypedStep,
    exact: Values,
    basis: Basis,
    all_right: np.ndarray,
    cells: np.ndarray,
) -> _Judgement:
    basis, own = basis.for_step(step, typed, exact)
    tolerance = _follow_through_tolerance(step, typed, basis, own)
    allowed = np.fmax(typed.tolerance, typed.broadcast_to_cells(tolerance))  # fmax drops NaN
    following = typed.agree(own, allowed)
    follows = typed.whole(following)
    verdicts = np.full(len(follows), WRONG, dtype=object)
    mistakes = np.full(len(follows), "", dtype=object)
    verdicts[follows] = FOLLOWS
    verdicts[follows & all_right] = RIGHT
    if step.choices:
        other = verdicts == WRONG
        verdicts[other], mistakes[other] = MISTAKE, OTHER_CHOICE
    for known in step.mistakes if (verdicts == WRONG).any() else ():
        applies = known.when(exact)
        if np.any(applies):
            made = typed.matches(known.compute(EXACT, exact))
            made |= typed.matches(known.compute(EXACT, basis.values))
            made &= (verdicts == WRONG) & applies
            verdicts[made], mistakes[made] = MISTAKE, known.key
    more = typed.count(following) > typed.count(cells)
    cells = np.where(typed.broadcast_to_cells(more), following, cells)
    near = typed.matches(typed.exact, NEAR_TOLERANCES) | typed.matches(own, NEAR_TOLERANCES)
    open_still = verdicts == WRONG
    verdicts[open_still & (typed.count(cells) > 0)] = PARTIAL
    verdicts[open_still & near] = NEAR
    return _Judgement(verdicts, mistakes, cells, near, tolerance)


def _follow_through_tolerance(step: Step, typed: TypedStep, basis: Basis, own: Array) -> Array:
    """Return each answer's tolerance; NaN if it decides nothing, as no cell is a little off."""
    tolerance = np.full(len(own), np.nan)
    # Nothing precedes the first step. Whole numbers and choices are right or not.
    if basis.own and not step.choices and step.decimals:
        strayed = typed.agree(own, NEAR_TOLERANCES * typed.tolerance)
        strayed &= ~typed.agree(own, typed.tolerance)
        places = np.flatnonzero(typed.count(strayed))
        if places.size:
            some = basis.at(places).tolerance(step, typed.at(places), own[places])
            tolerance[places] = some.reshape(-1)
    return tolerance


def _step_marks(
    step: Step, typed: TypedStep, judged: _Judgement, batch: Sequence[AnsweredItem], weights: int
) -> list[StepMark]:
    halved = judged.near & np.isin(judged.verdicts, (NEAR, MISTAKE))
    earned = np.isin(judged.verdicts, (RIGHT, FOLLOWS))
    states = np.where(
        typed.broadcast_to_cells(halved), np.int8(CellState.NEAR), np.int8(CellState.WRONG)
    )
    right = judged.cells | typed.broadcast_to_cells(earned)
    states = np.where(right, np.int8(CellState.RIGHT), states)
    states = np.where(typed.states >= CellState.BLANK, typed.states, states)
    counted, hits = typed.count(~typed.fixed), typed.count(judged.cells)
    outcomes = zip(
        judged.verdicts.tolist(),
        judged.mistakes.tolist(),
        halved.tolist(),
        [None if isnan(tolerance) else tolerance for tolerance in judged.tolerance.tolist()],
        [id(item.points) for item in batch],
        [row.tobytes() for row in states],
        strict=True,
    )
    made: dict[object, StepMark] = {}
    marks = []
    for place, outcome in enumerate(outcomes):
        if outcome not in made:
            verdict, mistake, near, tolerance, _, _ = outcome
            points = batch[place].points
            earns, out_of = _points(
                verdict, near, int(hits[place]), int(counted[place]), step.weight, weights, points
            )
            [cells] = _CELLS[states[place : place + 1]].tolist()
            made[outcome] = StepMark(step.key, verdict, mistake, cells, earns, out_of, tolerance)
        marks.append(made[outcome])
    return marks


def _points(
    verdict: str,
    near: bool,
    hits: int,
    counted: int,
    weight: int,
    weights: int,
    points: Fraction | None,
) -> tuple[Fraction, Fraction]:
    out_of = Fraction(weight) if points is None else points * weight / weights
    if verdict in (RIGHT, FOLLOWS):
        return out_of, out_of
    share = Fraction(hits, counted) if hits else Fraction()
    return out_of * (max(share, _HALF) if near else share), out_of


def _out_of(item: AnsweredItem, weights: int) -> Fraction:
    return Fraction(weights) if item.points is None else item.points


def _total(points: list[Fraction]) -> Fraction:
    # Adding fractions is slow next to everything else here, and many items have one step.
    return sum(points[1:], points[0])


def _solution_changed(batch: Sequence[AnsweredItem], exact: Values) -> np.ndarray:
    """Return which items were stored with another solution than the one computed now."""
    changed = np.zeros(len(batch), bool)
    shapes = {step.key: exact[step.key].shape[1:] for step in batch[0].problem.family.steps}
    stored = [(place, item.solution) for place, item in enumerate(batch) if item.solution]
    comparable = []
    for place, solution in stored:
        if {key: shape_of(was) for key, was in solution.items()} == shapes:
            comparable.append((place, solution))
        else:
            changed[place] = True
    if comparable:
        places = [place for place, _ in comparable]
        for key in shapes:
            was = np.array([solution[key] for _, solution in comparable])
            apart = np.abs(exact[key][places] - was) > _SAME_SOLUTION
            changed[places] |= apart.any(axis=tuple(range(1, apart.ndim)))
    return changed
