"""What somebody types who works in a way of their own: right, by a known mistake, or with a slip.

Each step goes on from what the earlier ones gave them, right or wrong, as a student does. So a site
that has no students yet can have answers with every kind of mistake in them.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from random import Random
from typing import Any

import numpy as np

from attention_core.maths.arrays import Array
from attention_core.problems.family import Mistake, Problem, Step, Values
from attention_core.problems.rounding import EXACT
from attention_core.proving import known_mistakes, typed_answers

# Nobody types more digits than this before they notice that something is wrong.
_LARGEST = 1e12
# How steps that are not right come about: by some known mistake, a wrong cell, or left empty.
_BY_MISTAKE, _BY_CELL = 0.3, 0.8


@dataclass(frozen=True)
class Habits:
    """How somebody works.

    Attributes:
        sure: how often a step is done right, where none of the own mistakes is made: 0 to 1.
        mistakes: how often each of the own mistakes is made where it can be, by its key.
    """

    sure: float = 1.0
    mistakes: Mapping[str, float] = field(default_factory=dict)


def imitated(problem: Problem, habits: Habits, chance: Random) -> dict[str, Any]:
    """Step to the text of its cells, as somebody with these habits types it.

    Args:
        chance: decides what is only likely; the same one gives the same answer.

    >>> from attention_core import draw, mark
    >>> problem = draw("scale_row", seed=7)
    >>> mark(problem, imitated(problem, Habits(), Random(1))).verdict
    'right'
    >>> always = Habits(mistakes={"unscaled": 1.0})
    >>> mark(problem, imitated(problem, always, Random(1))).mistake
    'unscaled'
    """
    own = Values(problem.givens)
    empty = []
    for step in problem.family.steps:
        with np.errstate(all="ignore"):
            right = step.compute(EXACT, own)
            made = _worked(problem, step, own, right, habits, chance)
        if made is None:
            empty.append(step.key)
            made = right
        exact = problem.values[step.key]
        if made.shape != exact.shape or not (np.abs(made) < _LARGEST).all():
            made = exact
        own[step.key] = np.where(problem.typed[step.key], made, exact)
    typed = typed_answers(problem, own)
    return {key: text for key, text in typed.items() if key not in empty}


def _worked(
    problem: Problem, step: Step, own: Values, right: Array, habits: Habits, chance: Random
) -> Array | None:
    """What a step gives them; None where they leave it empty."""
    known = [mistake for mistake, _ in known_mistakes(problem, step)]
    for mistake in known:
        if chance.random() < habits.mistakes.get(mistake.key, 0.0):
            return mistake.compute(EXACT, own)
    if chance.random() < habits.sure:
        return right
    how = chance.random()
    if how < _BY_MISTAKE and known:
        return _any_of(known, chance).compute(EXACT, own)
    return _slipped(problem, step, right, chance) if how < _BY_CELL else None


def _any_of(known: list[Mistake], chance: Random) -> Mistake:
    return known[chance.randrange(len(known))]


def _slipped(problem: Problem, step: Step, right: Array, chance: Random) -> Array:
    """All right but for one cell: a lost sign, or a digit that is another one."""
    slipped = np.array(right, dtype=np.float64)
    if step.choices:
        choices = len(problem.words[step.choices])
        return (slipped + chance.randrange(1, choices)) % choices if choices > 1 else slipped
    cells = np.flatnonzero(problem.typed[step.key])
    cell = int(cells[chance.randrange(len(cells))])
    was = slipped.flat[cell]
    by = float(chance.randrange(1, 9)) / (10.0 if step.decimals else 1.0)
    slipped.flat[cell] = -was if was < 0 and chance.random() < 0.5 else was + by
    return slipped
