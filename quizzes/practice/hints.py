"""Hints in practice: which there are, and which step of a problem the next one is on.

What was taken is kept by step, with how many: {"scaled": 2} is the nudge and the formula of that
step. Under `SOLUTION`, which is no step's key, stands that the whole solution was shown.
"""

from collections.abc import Mapping
from typing import Any

from quizzes.problems.answers import cell_fields, choice_field

NUDGE, FORMULA, CELL = 1, 2, 3
SOLUTION = ""


def step_at_hand(asked: Mapping[str, Any], draft: Mapping[str, str], otherwise: str = "") -> str:
    """The first step in which something is still to be typed or chosen.

    Where nothing is: the one named `otherwise`, if it is a step, else the last.
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


def with_one_more(hints: Mapping[str, int] | None, step: str) -> dict[str, int]:
    """What is taken once the next hint on this step is; after the last there is no other.

    >>> with_one_more({"scaled": 3}, "scaled"), with_one_more(None, "scores")
    ({'scaled': 3}, {'scores': 1})
    """
    taken = dict(hints or {})
    return taken | {step: min(CELL, taken.get(step, 0) + 1)}
