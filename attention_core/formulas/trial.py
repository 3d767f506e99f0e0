"""The trial of found mistakes on drawn variants: which of them marking names, at which sizes.

It's deterministic: the same text always keeps the same mistakes.
"""

from collections.abc import Mapping

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

# The mistakes of each step that are off, by their keys.
type Off = Mapping[str, frozenset[str]]


def indistinct_mistakes(family: Family, sizes: Mapping[str, int]) -> Off:
    """Return the mistakes that look right, or like an earlier one, in over 5 % of draws.

    So do those that leave only zeros to later steps. Of the others, those go whose rounding
    marking misses most often, until it misses none in half of the draws. The two that marking
    relies on come first, and are never among them.

    >>> from attention_core import family
    >>> indistinct_mistakes(family("softmax_row"), {"tokens": 3})
    {'weights': frozenset()}
    """
    drawn = _draw(family, sizes)
    if not drawn:
        return {}
    givens = Values({name: np.stack([each[name] for each in drawn]) for name in drawn[0]})
    with np.errstate(all="ignore"):
        exact = family.solve(givens)
        careful = [family.solve(givens, way) for way in CAREFUL]
        tolerances = {step.key: _tolerance(step, exact, careful) for step in family.steps}
        off = {
            step.key: _indistinct(step, exact, tolerances[step.key], step is family.steps[-1])
            for step in family.steps
        }
        missed = {
            (step.key, known.key): _missed(known, step, exact, careful, tolerances[step.key])
            for step in family.steps
            for known in step.mistakes
            if known.key not in off[step.key] and _made(known, exact, step) is not None
        }
    return {
        step: keys | {known for of, known in _most_missed(missed) if of == step}
        for step, keys in off.items()
    }


def _draw(family: Family, sizes: Mapping[str, int]) -> list[Mapping[str, Array]]:
    """Return the givens of draws within the family's bounds; none if these are too narrow."""
    found: list[Mapping[str, Array]] = []
    for n in range(MAX_TRIED):
        stream = open_stream(family.key, family.version, sizes, "trial", n)
        givens = Values(family.draw(stream, sizes).numbers)
        with np.errstate(all="ignore"):
            if family.fit(family.solve(givens)):
                found.append(givens)
        if len(found) == DRAWS:
            break
    return found


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


def _indistinct(step: Step, exact: Values, tolerance: Array, is_last: bool) -> frozenset[str]:
    kept, off = [exact[step.key]], set()
    # Whatever is tried later has to differ from what marking relies on.
    for known in sorted(step.mistakes, key=lambda known: known.key not in TRIVIAL_MISTAKES):
        wrong = _made(known, exact, step)
        if wrong is None:
            continue
        apart = np.min([_farthest(wrong, other) for other in kept], axis=0)
        # Not written with “<=”: what isn't finite isn't distinct.
        alike = ~(apart > NEAR_TOLERANCES * tolerance)
        if not is_last:
            alike |= _farthest(wrong, np.zeros(())) <= tolerance
        shows = np.broadcast_to(known.when(exact), alike.shape)
        is_off = shows.any() and alike[shows].mean() > MAX_INDISTINCT
        if is_off and known.key not in TRIVIAL_MISTAKES:
            off.add(known.key)
        else:
            kept.append(wrong)
    return frozenset(off)


def _made(known: Mistake, exact: Values, step: Step) -> Array | None:
    """Return a mistake's results for all draws; None if it can't be made at these sizes."""
    if not np.any(known.when(exact)):
        return None
    wrong = known.compute(EXACT, exact)
    return wrong if wrong.shape == exact[step.key].shape else None


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
    return np.asarray(missed & np.broadcast_to(known.when(exact), missed.shape))


def _most_missed(missed: Mapping[tuple[str, str], Array]) -> set[tuple[str, str]]:
    """Return the steps and mistakes without which marking misses none in half of the draws."""
    left = {place: each for place, each in missed.items() if place[1] not in TRIVIAL_MISTAKES}
    while left and np.any([*left.values()], axis=0).mean() > MAX_MISSED:
        del left[max(left, key=lambda place: left[place].sum())]
    return {place for place in missed.keys() - left.keys() if place[1] not in TRIVIAL_MISTAKES}
