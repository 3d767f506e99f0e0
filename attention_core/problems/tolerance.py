"""Tolerances of right answers: one rule for hints, marks, proofs and tests."""

import math
from collections.abc import Mapping

import numpy as np

from attention_core.maths.arrays import Array
from attention_core.problems.family import Family, Values
from attention_core.problems.rounding import CAREFUL

UNIT = 0.001
MAX_TOLERANCE = 0.005
# Within so many tolerances the method was right but the rounding came too early.
NEAR_TOLERANCES = 5

# A number typed to three decimals and a binary fraction differ in the sixteenth place.
_BINARY_SLACK = 1e-9


def step_tolerances(
    family: Family, givens: Mapping[str, Array], exact: Mapping[str, Array]
) -> dict[str, float]:
    """Return by step the largest error of the careful rounders, rounded up to 0.001.

    Whole numbers and choices are right or not: their tolerance is 0. Where a tolerance exceeds
    `LARGEST`, the variant is not fit to ask.

    >>> from attention_core import draw
    >>> problem = draw("dot_score", seed=5)
    >>> step_tolerances(problem.family, problem.givens, problem.values)
    {'score': 0.001, 'scaled': 0.003}
    """
    careful: list[Values] = [family.solve(givens, way) for way in CAREFUL]
    tolerances = {}
    for step in family.steps:
        if step.decimals == 0 or step.choices:
            tolerances[step.key] = 0.0
            continue
        # NumPy's maximum of an array with a NaN is NaN; a draw that divides 0 by 0 has one.
        error = np.max([np.abs(run[step.key] - exact[step.key]).max() for run in careful])
        tolerances[step.key] = float(round_up(error)) if np.isfinite(error) else math.inf
    return tolerances


def round_up(error: Array) -> Array:
    """Return the tolerance that an error needs: a whole number of units, at least one.

    >>> round_up(np.array([0.0, 0.001, 0.0011])).tolist()
    [0.001, 0.001, 0.002]
    """
    units = np.maximum(1, np.ceil(error / UNIT - _BINARY_SLACK))
    return np.round(units * UNIT, 3)


def is_within(a: Array, b: Array, tolerance: Array) -> np.ndarray:
    """Return cell by cell whether a is within the tolerance of b; never if one is not finite.

    >>> is_within(np.array([0.5, 0.502, np.nan]), np.array(0.501), np.array(0.001)).tolist()
    [True, True, False]
    """
    with np.errstate(invalid="ignore"):
        # Written so that NaN compares as False.
        return np.asarray(np.abs(a - b) <= tolerance + _BINARY_SLACK)
