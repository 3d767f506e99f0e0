"""Robots that answer as students would, with the mistakes that the core knows."""

from collections.abc import Iterable

from attention_core.catalogue import problem_from_json
from attention_core.robots import (
    BLANK_CHANCE,
    KNOWLEDGE_CHANCE,
    SLIP_CHANCE,
    Robot,
    RobotAnswer,
    answer_choice,
    answer_problem,
    make_robots,
)
from quizzes.problems.answers import CHOICE_STEP, flatten, nest
from quizzes.problems.catalogue import TYPICAL_PACE, mistake_keys
from quizzes.problems.drawing import load_problem
from quizzes.problems.schemas import ChoiceWording, NumericWording, StoredVariant

# What an average robot does, in per cent: cells gone wrong, steps left out, questions known.
AVERAGE_ROBOT = {
    "slips": 100 * SLIP_CHANCE,
    "blanks": 100 * BLANK_CHANCE,
    "knows": 100 * KNOWLEDGE_CHANCE,
}


def make_typical_robots(
    count: int, families: Iterable[tuple[str, int | None]], seed: str
) -> list[Robot]:
    """Return so many typical students, who between them make every mistake of these families.

    Args:
        families: each with its version, which is None for those that have one only.
    """
    known = sorted({key for family, version in families for key in mistake_keys(family, version)})
    return make_robots(count, known, pace=TYPICAL_PACE, seed=seed)


def robot_answers(
    variant: StoredVariant, robots: Iterable[tuple[Robot, object]]
) -> list[RobotAnswer]:
    """Return each robot's answer to a variant; every robot comes with a seed of its own."""
    problem = load_problem(variant)
    return [answer_problem(robot, problem, seed) for robot, seed in robots]


def robot_choice(robot: Robot, wording: ChoiceWording, seed: object) -> dict[str, str]:
    """Return the raw answer of a robot to a concept question."""
    choices = wording["choices"]
    right = next(choice["key"] for choice in choices if choice["correct"])
    return {CHOICE_STEP: answer_choice(robot, [choice["key"] for choice in choices], right, seed)}


def robot_draft(
    wording: NumericWording, variant: StoredVariant, robot: Robot, seed: object
) -> dict[str, str]:
    """Return the draft of a robot, which makes the family's own mistakes."""
    raw = answer_problem(robot, problem_from_json(variant), seed).answers
    empty = nest(wording, {})
    return {field: text for field, text in flatten(wording, empty | raw).items() if text}
