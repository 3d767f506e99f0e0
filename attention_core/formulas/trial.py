"""The trial of found mistakes on drawn variants: which of them marking names, at which sizes.

It's deterministic: the same text always keeps the same mistakes.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from attention_core.maths.arrays import Array
from attention_core.problems.drawing import open_stream
from attention_core.problems.family import Family, Mistake, Step, Values
from attention_core.problems.mistakes import TRIVIAL_MISTAKES
from attention_core.problems.rounding import CAREFUL, EXACT
from attention_core.problems.tolerance import NEAR_TOLERANCES, UNIT, round_up

DRAWS = 40
MAX_TRIED = 200
MAX_INDISTINCT = 0.05
# A draw in which marking would miss a mistake is drawn again, so some may be.
MAX_MISSED = 0.5

type Keys = Mapping[str, frozenset[str]]


@dataclass(frozen=True)
class Trial:
    """The mistakes of each step, by their keys, as they turned out on some draws.

    Attributes:
        off: those that look right, or like an earlier one, in over 5 % of draws, that leave only
            zeros to later steps, or that marking misses most often.
        right: those whose result is the right one in all draws.
        wrong: the others.
        lost: the steps, no cell of which is a number in any draw.
        largest: the largest number of each step, whatever its sign, in the middle one of the draws.
    """

    off: Keys = field(default_factory=dict)
    right: Keys = field(default_factory=dict)
    wrong: Keys = field(default_factory=dict)
    lost: frozenset[str] = frozenset()
    largest: Mapping[str, float] = field(default_factory=dict)


def try_mistakes(family: Family, sizes: Mapping[str, int], draws: int = DRAWS) -> Trial:
    """Return how the mistakes of a family turn out in some draws at these sizes.

    Mistakes whose rounding marking misses go, the most missed first, until it misses none in half
    of the draws. The two that marking relies on come first, and are never off.

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
        off, right, wrong, missed = {}, {}, {}, {}
        for step in family.steps:
            tolerance = _tolerance(step, exact, careful)
            made = _all_made(step, exact)
            off[step.key] = _indistinct(step, made, exact, tolerance, step is family.steps[-1])
            right[step.key] = frozenset(
                key
                for key, (result, shows) in made.items()
                if np.allclose(result[shows], exact[step.key][shows], rtol=1e-9, atol=1e-9)
            )
            wrong[step.key] = frozenset(made) - right[step.key]
            for known in step.mistakes:
                if known.key in made and known.key not in off[step.key]:
                    each = _missed(known, step, exact, careful, tolerance)
                    missed[step.key, known.key] = each & made[known.key][1]
    for of, key in _most_missed(missed):
        off[of] |= {key}
    lost = {step.key for step in family.steps if not np.isfinite(exact[step.key]).any()}
    largest = {
        step.key: float(np.median(_farthest(exact[step.key], np.zeros(()))))
        for step in family.steps
    }
    return Trial(off, right, wrong, frozenset(lost), largest)


def _draw(family: Family, sizes: Mapping[str, int], draws: int) -> list[Mapping[str, Array]]:
    """Return the givens of draws within the family's bounds; none if these are too narrow."""
    found: list[Mapping[str, Array]] = []
    for first in range(0, MAX_TRIED, DRAWS):
        drawn = [
            family.draw(open_stream(family.key, family.version, sizes, "trial", n), sizes).numbers
            for n in range(first, first + DRAWS)
        ]
        with np.errstate(all="ignore"):
            exact = family.solve(_stacked(drawn))
            found += [
                givens
                for n, givens in enumerate(drawn)
                if family.fit(Values({name: array[n] for name, array in exact.items()}))
            ]
        if len(found) >= DRAWS:
            break
    return found[:DRAWS]


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
    step: Step,
    made: Mapping[str, tuple[Array, np.ndarray]],
    exact: Values,
    tolerance: Array,
    is_last: bool,
) -> frozenset[str]:
    kept, off = [exact[step.key]], set()
    for key, (wrong, shows) in made.items():
        apart = np.min([_farthest(wrong, other) for other in kept], axis=0)
        # What isn't finite isn't distinct.
        alike = ~((apart > NEAR_TOLERANCES * tolerance) & np.isfinite(apart))
        if not is_last:
            alike |= _farthest(wrong, np.zeros(())) <= tolerance
        if key not in TRIVIAL_MISTAKES and alike[shows].mean() > MAX_INDISTINCT:
            off.add(key)
        else:
            kept.append(wrong)
    return frozenset(off)


def _missed(
    known: Mistake, step: Step, exact: Values, careful: list[Values], tolerance: Array
) -> Array:
    """Return by draw whether a careful student's mistake is too far off for marking to name it.

    Marking compares it with the mistake made on the exact earlier steps, and on the student's.
    """
    missed = np.zeros(len(tolerance), bool)
    for way, run in zip(CAREFUL, careful, strict=True):
        typed = np.round(known.compute(way, run), step.decimals)
        named = [known.compute(EXACT, values) for values in (exact, run)]
        apart = np.min([_farthest(typed, each) for each in named], axis=0)
        missed |= ~(apart <= tolerance + UNIT / 10)
    return missed


def _most_missed(missed: Mapping[tuple[str, str], Array]) -> set[tuple[str, str]]:
    """Return the steps and mistakes without which marking misses none in half of the draws."""
    left = {place: each for place, each in missed.items() if place[1] not in TRIVIAL_MISTAKES}
    while left and np.any([*left.values()], axis=0).mean() > MAX_MISSED:
        del left[max(left, key=lambda place: left[place].sum())]
    return {place for place in missed.keys() - left.keys() if place[1] not in TRIVIAL_MISTAKES}
