"""Reviews of one answer: right results from own numbers, and the first slip.

Marks are made in mark.py.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from attention_core.grading.following import Basis
from attention_core.grading.signs import normalize_signs, remove_invisible
from attention_core.grading.typed import CellState, TypedStep
from attention_core.grading.verdicts import NEAR, WRONG
from attention_core.maths.arrays import Array
from attention_core.problems.family import Problem, Step, Values
from attention_core.problems.rounding import EXACT
from attention_core.problems.tolerance import is_within

_DECIMAL = re.compile(r"(?P<whole>[+-]?[0-9]+)(?:[.,](?P<decimals>[0-9]+))?")
# A number must exceed so many tolerances before it may be called ten times another.
MIN_TOLERANCES = 50
TENS = (1, 2, 3)


@dataclass(frozen=True, slots=True)
class Followed:
    """A step with its typed answer, its basis, and the right result from that."""

    step: Step
    typed: TypedStep
    basis: Basis
    own: Array

    @property
    def leads_elsewhere(self) -> bool:
        """Whether the right result from own numbers is finite, and differs from the exact one."""
        near = is_within(self.own, self.typed.exact, self.typed.tolerance)
        return bool(np.isfinite(self.own).all() and not near.all())


def follow(problem: Problem, answers: Mapping[str, Any]) -> list[Followed]:
    """Return the steps of a problem with these answers, as `mark` takes them.

    >>> from attention_core import draw
    >>> [each.step.key for each in follow(draw("dot_score", seed=7), {"score": "8"})]
    ['score', 'scaled']
    """
    exact = Values({name: array[None] for name, array in problem.values.items()})
    basis = Basis(Values({name: exact[name] for name in problem.givens}))
    followed = []
    for step in problem.family.steps:
        typed = TypedStep.read(step, [(problem, answers)], exact)
        with np.errstate(all="ignore"):
            before, own = basis.for_step(step, typed, exact)
        followed.append(Followed(step, typed, before, own))
        basis.add(step, typed)
    return followed


def follow_through_values(followed: Iterable[Followed]) -> dict[str, Array]:
    """Return by step the right results from own numbers, where they differ from the exact ones.

    >>> from attention_core import draw
    >>> problem = draw("dot_score", seed=7)
    >>> own = follow_through_values(follow(problem, {"score": "8"}))
    >>> bool(np.isclose(own["scaled"], 8 / problem.givens["q"].size ** 0.5))
    True
    """
    return {each.step.key: each.own[0] for each in followed if each.leads_elsewhere}


def handed_on_exactly(followed: Iterable[Followed]) -> dict[str, list[str]]:
    """Return by step the earlier steps that it takes up exactly.

    Those steps are typed in part or unreadable, so that their exact values are handed on.

    >>> from attention_core import draw
    >>> handed_on_exactly(follow(draw("dot_score", seed=7), {"score": "1.2.3"}))
    {'scaled': ['score']}
    """
    found: dict[str, list[str]] = {}
    torn: list[str] = []
    for each in followed:
        taken = [key for key in torn if _takes_up(each, key)]
        if taken:
            found[each.step.key] = taken
        if not (each.step.choices or each.typed.blank[0]) and np.isnan(each.typed.numbers).any():
            torn.append(each.step.key)
    return found


def _takes_up(followed: Followed, key: str) -> bool:
    """Return whether the step computes with the earlier one."""
    values = followed.basis.values
    other = Values(values | {key: np.full_like(values[key], np.nan)})
    with np.errstate(all="ignore"):
        changed = followed.step.compute(EXACT, other)
    return not np.array_equal(changed, followed.own)


@dataclass(frozen=True, slots=True)
class Slip:
    """The first cell that is not right, and the right number there.

    Attributes:
        step, row, column: the place of the cell; a vector is one row, a scalar one cell.
        typed: the number that was typed.
        here: the right number: the exact value or, if the answer follows them, the result from
            the student's own earlier steps.
        follows: whether it is the result from those.
        worked: LaTeX of this one cell with its numbers; "" where there is nothing to work out.
        other_sign: whether only the sign is wrong.
        tens: the power of ten by which the typed number is too large; −2 if a hundred times too
            small; 0 if it is none.
    """

    step: str
    row: int
    column: int
    typed: float
    here: float
    follows: bool
    worked: str = ""
    other_sign: bool = False
    tens: int = 0


def first_slip(
    problem: Problem, followed: Iterable[Followed], cells: Mapping[str, Any]
) -> Slip | None:
    """Return the first number in the answer that is not right; None if there is none.

    Args:
        problem: with its tolerances.
        followed: the steps with the answer, as `follow` returns them.
        cells: the marks of the cells of steps that are not right, by step key.

    >>> from attention_core import draw
    >>> problem = draw("dot_score", seed=7)
    >>> followed = follow(problem, {"score": f"{-problem.values.score:.3f}"})
    >>> slip = first_slip(problem, followed, {"score": "wrong"})
    >>> slip.step, slip.other_sign, slip.follows
    ('score', True, False)
    """
    for each in followed:
        marks = np.array(cells.get(each.step.key, ""), dtype=object)
        if each.step.choices or marks.shape != each.typed.exact.shape[1:]:
            continue
        for place in np.ndindex(marks.shape):
            if marks[place] in (WRONG, NEAR) and each.typed.states[0][place] == CellState.RIGHT:
                return _slip(each, problem, place)
    return None


def _slip(followed: Followed, problem: Problem, place: tuple[int, ...]) -> Slip | None:
    step, typed = followed.step, followed.typed
    follows = followed.leads_elsewhere and _follows_own_numbers(followed)
    right = (followed.own if follows else typed.exact)[0]
    number, here = float(typed.numbers[0][place]), float(right[place])
    tolerance = problem.tolerance[step.key]
    if _near(number, here, tolerance):  # marked by an earlier rule
        return None
    row, column = (0, 0, *place)[-2:]
    values = problem.values
    if follows:
        values = Values({key: array[0] for key, array in followed.basis.values.items()})
        values[step.key] = right
    return Slip(
        step.key,
        row,
        column,
        number,
        here,
        follows,
        _worked(step, values, row, column),
        _near(-number, here, tolerance),
        _tens(number, here, tolerance),
    )


def _follows_own_numbers(followed: Followed) -> bool:
    typed = followed.typed
    following = typed.count(typed.agree(followed.own, typed.tolerance))
    return bool((following > typed.count(typed.agree(typed.exact, typed.tolerance))).all())


def _worked(step: Step, values: Values, row: int, column: int) -> str:
    if step.cell:
        return step.cell(values, row, column)
    return "" if values[step.key].shape else step.worked(values)


def _tens(typed: float, here: float, tolerance: float) -> int:
    """Return by which power of ten a number is clearly too large; −1 if ten times too small."""
    if not min(abs(typed), abs(here)) > MIN_TOLERANCES * tolerance:
        return 0
    for tens in TENS:
        if _near(typed / 10**tens, here, tolerance):
            return tens
        if _near(typed, here / 10**tens, tolerance):
            return -tens
    return 0


def decimals_right(text: str, right: float, asked: int) -> int | None:
    """Return to how many decimals a typed number is right, if these are fewer than asked.

    None if it has enough decimals, or is not the right value rounded to those it has.

    >>> decimals_right("−0.1", -0.116, 3), decimals_right("2", 1.96, 3)
    (1, 0)
    >>> decimals_right("-0.2", -0.116, 3), decimals_right("-0.116", -0.116, 3)
    (None, None)
    """
    typed = _DECIMAL.fullmatch(normalize_signs(remove_invisible(text).strip()))
    if not typed:
        return None
    decimals = len(typed["decimals"] or "")
    value = float(f"{typed['whole']}.{typed['decimals'] or 0}")
    unit = 10.0**-decimals
    # A zero says nothing of a small number.
    if decimals >= asked or value == 0 or not _near(value, right, unit / 2):
        return None
    return decimals


def _near(a: float, b: float, tolerance: float) -> bool:
    return bool(is_within(np.array(a), np.array(b), np.array(tolerance)))
