"""The trial of found mistakes on drawn variants: which of them can be told apart, at which sizes.

It's deterministic: the same text always keeps the same mistakes.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from attention_core.maths.arrays import Array
from attention_core.problems.drawing import open_stream
from attention_core.problems.family import Family, Step, Values
from attention_core.problems.mistakes import TRIVIAL_MISTAKES
from attention_core.problems.rounding import CAREFUL, EXACT
from attention_core.problems.tolerance import NEAR_TOLERANCES, round_up

DRAWS = 40
MAX_TRIED = 200
MAX_INDISTINCT = 0.05

type Keys = Mapping[str, frozenset[str]]


@dataclass(frozen=True)
class Trial:
    """The mistakes of each step, by their keys, as they turned out on some draws.

    Attributes:
        off: those that look right, or like an earlier one, in over 5 % of draws.
        right: those whose result is the right one in all draws.
        wrong: the others.
        lost: the steps, no cell of which is a number in any draw.
    """

    off: Keys = field(default_factory=dict)
    right: Keys = field(default_factory=dict)
    wrong: Keys = field(default_factory=dict)
    lost: frozenset[str] = frozenset()


def try_mistakes(family: Family, sizes: Mapping[str, int], draws: int = DRAWS) -> Trial:
    """Return how the mistakes of a family turn out in some draws at these sizes.

    The two that marking relies on come first, and are never off.

    >>> from attention_core import family
    >>> trial = try_mistakes(family("softmax_row"), {"tokens": 3})
    >>> trial.off, trial.right
    ({'weights': frozenset()}, {'weights': frozenset()})
    """
    drawn = _draw(family, sizes, draws)
    if not drawn:
        return Trial()
    givens = _stacked(drawn)
    with np.errstate(all="ignore"):
        exact = family.solve(givens)
        careful = [family.solve(givens, way) for way in CAREFUL]
        off, right, wrong = {}, {}, {}
        for step in family.steps:
            made = _all_made(step, exact)
            off[step.key] = _indistinct(step, made, exact, _tolerance(step, exact, careful))
            right[step.key] = frozenset(
                key
                for key, (result, shows) in made.items()
                if np.allclose(result[shows], exact[step.key][shows], rtol=1e-9, atol=1e-9)
            )
            wrong[step.key] = frozenset(made) - right[step.key]
    lost = {step.key for step in family.steps if not np.isfinite(exact[step.key]).any()}
    return Trial(off, right, wrong, frozenset(lost))


def _draw(family: Family, sizes: Mapping[str, int], draws: int) -> list[Mapping[str, Array]]:
    """Return the givens of draws within the family's bounds; none if these are too narrow."""
    found: list[Mapping[str, Array]] = []
    for first in range(0, MAX_TRIED, draws):
        drawn = [
            family.draw(open_stream(family.key, family.version, sizes, "trial", n), sizes).numbers
            for n in range(first, first + draws)
        ]
        with np.errstate(all="ignore"):
            exact = family.solve(_stacked(drawn))
            found += [
                givens
                for n, givens in enumerate(drawn)
                if family.fit(Values({name: array[n] for name, array in exact.items()}))
            ]
        if len(found) >= draws:
            break
    return found[:draws]


def _stacked(drawn: list[Mapping[str, Array]]) -> Values:
    return Values({name: np.stack([each[name] for each in drawn]) for name in drawn[0]})


def _tolerance(step: Step, exact: Values, careful: list[Values]) -> Array:
    """Return the tolerance of a step for each draw."""
    right = exact[step.key]
    if step.decimals == 0:
        return np.zeros(len(right))
    errors = [_farthest(run[step.key], right) for run in careful]
    return round_up(np.max(errors, axis=0))


def _farthest(a: Array, b: Array) -> Array:
    """Return by draw how far the two are apart in the cell where they are farthest."""
    return np.asarray(np.abs(a - b).reshape(len(a), -1).max(axis=1))


def _all_made(step: Step, exact: Values) -> dict[str, tuple[Array, np.ndarray]]:
    """Return each mistake's results for all draws, and in which of them it shows."""
    made = {}
    # Whatever is tried later has to differ from what marking relies on.
    for known in sorted(step.mistakes, key=lambda known: known.key not in TRIVIAL_MISTAKES):
        shows = known.when(exact)
        if np.any(shows):
            wrong = known.compute(EXACT, exact)
            if wrong.shape == exact[step.key].shape:
                made[known.key] = wrong, np.broadcast_to(shows, len(wrong))
    return made


def _indistinct(
    step: Step, made: Mapping[str, tuple[Array, np.ndarray]], exact: Values, tolerance: Array
) -> frozenset[str]:
    kept, off = [exact[step.key]], set()
    for key, (wrong, shows) in made.items():
        apart = np.min([_farthest(wrong, other) for other in kept], axis=0)
        # What isn't finite isn't distinct.
        alike = ~((apart > NEAR_TOLERANCES * tolerance) & np.isfinite(apart))
        if key not in TRIVIAL_MISTAKES and alike[shows].mean() > MAX_INDISTINCT:
            off.add(key)
        else:
            kept.append(wrong)
    return frozenset(off)
