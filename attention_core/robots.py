"""Robots that answer as students might, so that a quiz can be tried before anybody takes it.

A robot works a problem through as a student does: from what it was given, then from what it typed
itself. At a step where it holds a misconception it makes that mistake, by the very computation that
the family knows it by. Besides it slips now and then, and leaves a step out that it cannot do. It
types texts, and knows nothing of how they are marked.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import exp
from typing import Any

import numpy as np

from attention_core.maths.arrays import Array
from attention_core.problems.drawing import Stream
from attention_core.problems.family import Problem, Step, Values
from attention_core.problems.rounding import EXACT
from attention_core.proving import typed_answers

# Of somebody of middling ability: how likely a cell goes wrong, and a step is left out.
SLIPS = 0.03
BLANKS = 0.03
# How likely they know the answer to a concept question; the others choose as they please.
KNOWS = 0.7
# Who types three decimals cannot tell such results from each other.
ALIKE = 0.01
# A step that is given up costs some of its time all the same.
GIVEN_UP = 0.3

_FINE = 1_000_000


@dataclass(frozen=True)
class Robot:
    """Somebody who answers.

    Attributes:
        ability: 0 is middling, 1 better than five of six, −1 worse than five of six.
        misconceptions: keys of mistakes that it makes wherever they can be made.
        pace: the time it takes, times that of a practised student who never errs.
    """

    ability: float
    misconceptions: frozenset[str]
    pace: float


@dataclass(frozen=True)
class Worked:
    """What a robot made of a problem.

    Attributes:
        answers: raw, as the marker reads them; a step that was left out is not in it.
        made: the steps at which it made a known mistake, and which.
        seconds: that it took.
    """

    answers: dict[str, Any]
    made: dict[str, str]
    seconds: float


def work(robot: Robot, problem: Problem, seed: object) -> Worked:
    """Answer a problem; the same robot, problem and seed give the same on every machine.

    >>> from attention_core import draw
    >>> problem = draw("scale_row", seed=7)
    >>> robot = Robot(ability=9, misconceptions=frozenset({"unscaled"}), pace=1.4)
    >>> work(robot, problem, seed=1).made
    {'scaled': 'unscaled'}
    """
    stream = Stream("work", seed)
    values, typed, made = Values(problem.givens), {}, {}
    seconds = float(problem.seconds_to_read)
    gives_up = _often(BLANKS, robot)
    with np.errstate(all="ignore"):
        for step in problem.family.steps:
            own, mistake = _computed(robot, problem, step, values)
            if not np.isfinite(own).all() or _share(stream) < gives_up:
                # Whoever goes on without it takes what would have been right.
                values[step.key] = problem.values[step.key]
                seconds += GIVEN_UP * problem.seconds_of(step)
                continue
            if mistake:
                made[step.key] = mistake
            else:
                own = _slipped(own, problem.typed[step.key], step, robot, stream)
            values[step.key] = np.round(own, 0 if step.choices else step.decimals)
            typed[step.key] = values[step.key]
            seconds += problem.seconds_of(step)
    texts = typed_answers(problem, problem.values | typed)
    answers = {key: text for key, text in texts.items() if key in typed}
    return Worked(answers, made, seconds * robot.pace)


def choose(robot: Robot, choices: Sequence[str], right: str, seed: object) -> str:
    """The choice of this robot: the right one if it knows, else any.

    >>> knows = Robot(ability=9, misconceptions=frozenset(), pace=1)
    >>> choose(knows, ["a", "b", "c", "d"], "c", seed=1)
    'c'
    """
    stream = Stream("choose", seed)
    odds = KNOWS / (1 - KNOWS) * exp(robot.ability)
    return right if _share(stream) < odds / (1 + odds) else stream.choice(choices)


def crowd(count: int, known: Sequence[str], *, pace: float, seed: object) -> list[Robot]:
    """So many different robots, among whom all of these known mistakes are held.

    Abilities are spread as a normal distribution is. The best sixth holds no misconception, the
    next one, then two, and the worst sixth three: dealt out in turn, so that none is forgotten.
    Paces are spread by about a fifth around the one given.

    >>> robots = crowd(200, ["unscaled", "base_two"], pace=1.4, seed=1)
    >>> sum("unscaled" in robot.misconceptions for robot in robots) > 50
    True
    """
    stream = Stream("crowd", seed)
    robots, dealt = [], 0
    for _ in range(count):
        ability = _normal(stream)
        held = min(len(known), (ability < 1) + (ability < 0) + (ability < -1))
        keys = frozenset(known[(dealt + n) % len(known)] for n in range(held))
        dealt += held
        robots.append(Robot(ability, keys, pace * exp(0.2 * _normal(stream))))
    return robots


def _computed(robot: Robot, problem: Problem, step: Step, values: Values) -> tuple[Array, str]:
    """A step from what the robot has so far, and the mistake that it made there."""
    right = problem.values[step.key]
    follows = np.asarray(step.compute(EXACT, values))
    for known in step.mistakes:
        if known.key in robot.misconceptions and known.when(problem.values):
            wrong = np.asarray(known.compute(EXACT, values))
            # Made at an earlier step already, it may come to what follows from there.
            if wrong.shape == right.shape and np.abs(wrong - follows).max() > ALIKE:
                return np.where(problem.typed[step.key], wrong, right), known.key
    return follows, ""


def _slipped(own: Array, counted: np.ndarray, step: Step, robot: Robot, stream: Stream) -> Array:
    """The same with what goes wrong by chance: a sign lost, a digit misread, a word mistaken."""
    own = np.array(own, dtype=float)
    slips = _often(SLIPS, robot)
    for cell in zip(*np.nonzero(counted), strict=True) if own.ndim else [()]:
        if _share(stream) < slips:
            own[cell] = _another(float(own[cell]), step, stream)
    return own


def _another(value: float, step: Step, stream: Stream) -> float:
    if step.choices:
        return 1.0 - value if value in (0, 1) else 0.0
    if not step.decimals:
        return value + stream.choice((-1, 1, 2))
    if value < 0 or stream.below(2):
        return -value if abs(value) > 0.01 else value + 0.1
    return value + stream.choice((-0.1, 0.1, 0.2))


def _often(chance: float, robot: Robot) -> float:
    """How likely that happens to this robot: to the better ones less often."""
    return min(0.5, chance * exp(-robot.ability))


def _share(stream: Stream) -> float:
    """From 0 to 1, 1 left out."""
    return stream.below(_FINE) / _FINE


def _normal(stream: Stream) -> float:
    """From a normal distribution, near enough: twelve shares have the variance 1."""
    return sum(_share(stream) for _ in range(12)) - 6
