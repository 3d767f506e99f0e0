"""Hints in practice: their levels, and the step of a problem that the next one is on.

Hints are stored as their number by step: {"scaled": 2} is the nudge and the formula of that step.
The key `SOLUTION`, which is no step's key, marks that the whole solution was shown.
"""

from collections.abc import Mapping
from typing import Any

from quizzes.problems.answers import cell_fields, choice_field

NUDGE, FORMULA, CELL = 1, 2, 3
SOLUTION = ""


def next_step(asked: Mapping[str, Any], draft: Mapping[str, str], otherwise: str = "") -> str:
    """Return the key of the first step with a cell or choice that is still empty.

    If there is none, return `otherwise` if it is a step's key, else the last step's.
    """
    cells: dict[str, list[str]] = {}
    for cell in cell_fields(asked):
        cells.setdefault(cell.step, []).append(cell.field)
    keys = [step["key"] for step in asked["steps"]]
    for step in asked["steps"]:
        fields = [choice_field(step["key"])] if step["choices"] else cells.get(step["key"], [])
        if not all(draft.get(field, "").strip() for field in fields):
            return step["key"]
    return otherwise if otherwise in keys else keys[-1]


def add_hint(hints: Mapping[str, int] | None, step: str) -> dict[str, int]:
    """Return the hints with the next one on this step added, up to the last level.

    >>> add_hint({"scaled": 3}, "scaled"), add_hint(None, "scores")
    ({'scaled': 3}, {'scores': 1})
    """
    taken = dict(hints or {})
    return taken | {step: min(CELL, taken.get(step, 0) + 1)}
