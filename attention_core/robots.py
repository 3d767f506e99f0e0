"""Robots that answer as students might, so that a quiz can be tried before anybody takes it.

A robot works a problem through as a student does: from the givens, then from its own typed steps.
At a step where it has a misconception it makes that mistake, by the family's own computation of it.
It also slips now and then, and leaves out a step that it cannot do. It types texts, and knows
nothing of how they are marked.
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

# How likely a robot of middling ability gets a cell wrong, and leaves a step out.
SLIP_CHANCE = 0.03
BLANK_CHANCE = 0.03
# How likely it knows the answer to a concept question; otherwise it chooses at random.
KNOWLEDGE_CHANCE = 0.7
# Results this close may look the same to three decimals.
INDISTINGUISHABLE = 0.01
# The share of its time that a step costs when it is given up.
GIVEN_UP_SHARE = 0.3

_FINE = 1_000_000


@dataclass(frozen=True)
class Robot:
    """A robot student.

    Attributes:
        ability: 0 is middling, 1 better than five of six, −1 worse than five of six.
        misconceptions: keys of mistakes that it makes wherever they can be made.
        pace: the time it takes, times that of a practised student who never errs.
    """

    ability: float
    misconceptions: frozenset[str]
    pace: float


@dataclass(frozen=True)
class RobotAnswer:
    """A robot's answers to a problem.

    Attributes:
        answers: raw texts, as the marker reads them, without steps that were left out.
        made: the known mistake made, by step.
        seconds: the time that it took.
    """

    answers: dict[str, Any]
    made: dict[str, str]
    seconds: float


def answer_problem(robot: Robot, problem: Problem, seed: object) -> RobotAnswer:
    """Answer a problem; the same robot, problem and seed give the same on every machine.

    >>> from attention_core import draw
    >>> problem = draw("scale_row", seed=7)
    >>> robot = Robot(ability=9, misconceptions=frozenset({"unscaled"}), pace=1.4)
    >>> answer_problem(robot, problem, seed=1).made
    {'scaled': 'unscaled'}
    """
    stream = Stream("work", seed)
    values, typed, made = Values(problem.givens), {}, {}
    seconds = float(problem.seconds_to_read)
    gives_up = _chance_for(BLANK_CHANCE, robot)
    with np.errstate(all="ignore"):
        for step in problem.family.steps:
            own, mistake = _compute_step(robot, problem, step, values)
            if not np.isfinite(own).all() or _draw_share(stream) < gives_up:
                # Without its own result, the robot goes on from the right one.
                values[step.key] = problem.values[step.key]
                seconds += GIVEN_UP_SHARE * problem.seconds_of(step)
                continue
            if mistake:
                made[step.key] = mistake
            else:
                own = _apply_slips(own, problem.typed[step.key], step, robot, stream)
            values[step.key] = np.round(own, 0 if step.choices else step.decimals)
            typed[step.key] = values[step.key]
            seconds += problem.seconds_of(step)
    texts = typed_answers(problem, problem.values | typed)
    answers = {key: text for key, text in texts.items() if key in typed}
    return RobotAnswer(answers, made, seconds * robot.pace)


def answer_choice(robot: Robot, choices: Sequence[str], right: str, seed: object) -> str:
    """Return this robot's choice: the right one if it knows, else a random one.

    >>> knows = Robot(ability=9, misconceptions=frozenset(), pace=1)
    >>> answer_choice(knows, ["a", "b", "c", "d"], "c", seed=1)
    'c'
    """
    stream = Stream("choose", seed)
    odds = KNOWLEDGE_CHANCE / (1 - KNOWLEDGE_CHANCE) * exp(robot.ability)
    return right if _draw_share(stream) < odds / (1 + odds) else stream.choice(choices)


def make_robots(count: int, known: Sequence[str], *, pace: float, seed: object) -> list[Robot]:
    """Return `count` different robots, among which the known mistakes are dealt out in turn.

    Abilities are normally distributed. The best sixth has no misconception, the next third one,
    then two, and the worst sixth three. Paces are spread by about a fifth around the one given.

    >>> robots = make_robots(200, ["unscaled", "base_two"], pace=1.4, seed=1)
    >>> sum("unscaled" in robot.misconceptions for robot in robots) > 50
    True
    """
    stream = Stream("crowd", seed)
    robots, dealt = [], 0
    for _ in range(count):
        ability = _draw_normal(stream)
        number = min(len(known), (ability < 1) + (ability < 0) + (ability < -1))
        keys = frozenset(known[(dealt + n) % len(known)] for n in range(number))
        dealt += number
        robots.append(Robot(ability, keys, pace * exp(0.2 * _draw_normal(stream))))
    return robots


def _compute_step(robot: Robot, problem: Problem, step: Step, values: Values) -> tuple[Array, str]:
    """Return a step computed from the robot's values so far, and the mistake made; else ""."""
    right = problem.values[step.key]
    follows = np.asarray(step.compute(EXACT, values))
    for known in step.mistakes:
        if known.key in robot.misconceptions and known.when(problem.values):
            wrong = np.asarray(known.compute(EXACT, values))
            # If it was made at an earlier step already, it may change nothing here.
            if wrong.shape == right.shape and np.abs(wrong - follows).max() > INDISTINGUISHABLE:
                return np.where(problem.typed[step.key], wrong, right), known.key
    return follows, ""


def _apply_slips(
    own: Array, counted: np.ndarray, step: Step, robot: Robot, stream: Stream
) -> Array:
    """Return the cells with random slips: a lost sign, a misread digit, another choice."""
    own = np.array(own, dtype=float)
    slips = _chance_for(SLIP_CHANCE, robot)
    for cell in zip(*np.nonzero(counted), strict=True) if own.ndim else [()]:
        if _draw_share(stream) < slips:
            own[cell] = _slip_value(float(own[cell]), step, stream)
    return own


def _slip_value(value: float, step: Step, stream: Stream) -> float:
    if step.choices:
        return 1.0 - value if value in (0, 1) else 0.0
    if not step.decimals:
        return value + stream.choice((-1, 1, 2))
    if value < 0 or stream.below(2):
        return -value if abs(value) > 0.01 else value + 0.1
    return value + stream.choice((-0.1, 0.1, 0.2))


def _chance_for(chance: float, robot: Robot) -> float:
    """Return the chance for this robot: lower the better it is, at most a half."""
    return min(0.5, chance * exp(-robot.ability))


def _draw_share(stream: Stream) -> float:
    """Draw a number from 0 to below 1."""
    return stream.below(_FINE) / _FINE


def _draw_normal(stream: Stream) -> float:
    """Draw from a normal distribution, nearly: the sum of twelve shares has the variance 1."""
    return sum(_draw_share(stream) for _ in range(12)) - 6
