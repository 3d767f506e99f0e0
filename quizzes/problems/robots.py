"""Robots that answer as students would, with the mistakes that the core knows."""

from collections.abc import Iterable

from attention_core.problems.catalogue import (
    problem_from_json,
)
from attention_core.robots import BLANKS, KNOWS, SLIPS, Robot, Worked, choose, crowd, work
from quizzes.problems.answers import CHOICE_STEP, flatten, nest
from quizzes.problems.catalogue import TYPICAL_PACE, mistake_keys
from quizzes.problems.drawing import load_problem
from quizzes.problems.schemas import ChoiceWording, NumericWording, StoredVariant

# What an average robot does, in per cent: cells gone wrong, steps left out, questions known.
MIDDLING = {"slips": 100 * SLIPS, "blanks": 100 * BLANKS, "knows": 100 * KNOWS}


def robots_of(count: int, families: Iterable[str], seed: str) -> list[Robot]:
    """Return so many typical students, who between them make every mistake of these families."""
    known = sorted({key for family in families for key in mistake_keys(family)})
    return crowd(count, known, pace=TYPICAL_PACE, seed=seed)


def robots_work(variant: StoredVariant, robots: Iterable[tuple[Robot, object]]) -> list[Worked]:
    """Return each robot's answer to a variant; every robot comes with a seed of its own."""
    problem = load_problem(variant)
    return [work(robot, problem, seed) for robot, seed in robots]


def robot_chooses(robot: Robot, wording: ChoiceWording, seed: object) -> dict[str, str]:
    """Return the raw answer of a robot to a concept question."""
    choices = wording["choices"]
    right = next(choice["key"] for choice in choices if choice["correct"])
    return {CHOICE_STEP: choose(robot, [choice["key"] for choice in choices], right, seed)}


def typed_by(
    wording: NumericWording, variant: StoredVariant, robot: Robot, seed: object
) -> dict[str, str]:
    """Return the draft of a robot, which makes the family's own mistakes."""
    raw = work(robot, problem_from_json(variant), seed).answers
    empty = nest(wording, {})
    return {field: text for field, text in flatten(wording, empty | raw).items() if text}
