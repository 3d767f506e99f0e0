"""Help on an item in practice: the hints taken, the next one, and the solution."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

from django.utils.safestring import SafeString
from django.utils.translation import gettext_lazy

from quizzes import problems
from quizzes.items.presenters import grids, texts
from quizzes.items.presenters.worked_solution import solved_steps
from quizzes.models import Item
from quizzes.practice.hints import CELL, FORMULA, NUDGE, SOLUTION, next_step
from quizzes.problems import StepHints, UnknownKind
from quizzes.problems.answers import is_choice

NEXT = {
    NUDGE: gettext_lazy("a nudge"),
    FORMULA: gettext_lazy("the formula"),
    CELL: gettext_lazy("the first cell"),
}


def help_context(item: Item, wrong: str = "", *, is_right: bool = False) -> dict[str, Any] | None:
    """Return the help on an item. `wrong` is the first step that the last check did not find right.

    None where there is nothing to give: all is right, and no hint was taken. Otherwise the `taken`
    hints, the `next_hint` ("" where none is left on this `step`), and the `solution`, or
    whether the student `may_see` it on request.
    """
    if is_right and not item.hints:
        return None
    taken, shown = item.hints or {}, item.shown
    solution = None
    if SOLUTION in taken:
        solution = _of_choice(shown) if is_choice(shown) else _of_numbers(item)
    hints = [] if is_choice(shown) else _hints_of(item)
    at_hand = next_step(shown, item.draft, wrong) if hints else ""
    labels = _labels(shown)
    following = taken.get(at_hand, 0) + 1
    is_left = bool(hints) and following <= CELL and solution is None and not is_right
    return {
        "taken": [
            _taken(each, taken[each.key], labels[each.key]) for each in hints if taken.get(each.key)
        ],
        "step": at_hand,
        "next_hint": NEXT[following] if is_left else "",
        "may_see": solution is None and not is_right and (is_choice(shown) or bool(hints)),
        "solution": solution,
    }


def step_formulas(item: Item) -> list[Mapping[str, Any]]:
    """Return the nudge and the formula of each step, as an introduction."""
    labels = _labels(item.shown)
    return [_taken(each, FORMULA, labels[each.key]) for each in _hints_of(item)]


def _labels(shown: Mapping[str, Any]) -> dict[str, SafeString | str]:
    """Return the steps' captions by key; a single step needs none."""
    steps = shown.get("steps", ())
    if len(steps) == 1:
        return {steps[0]["key"]: ""}
    return {step["key"]: grids.caption_of(step).caption for step in steps}


def _hints_of(item: Item) -> Sequence[StepHints]:
    with suppress(UnknownKind):  # the family was removed
        return problems.hints_of(vars(item.variant))
    return ()


def _taken(hints: StepHints, level: int, label: SafeString | str) -> Mapping[str, Any]:
    """Return the hints on one step up to this level; the others are empty."""
    return {
        "label": label,
        "nudge": texts.render_line(hints.nudge),
        "formula": texts.render_formula(hints.formula if level >= FORMULA else ""),
        "cell": texts.render_formula(hints.cell if level >= CELL else ""),
    }


def _of_numbers(item: Item) -> dict[str, Any] | None:
    with suppress(UnknownKind):
        solution = problems.worked_solution(vars(item.variant))
        steps = solved_steps(item.shown, solution.steps)
        return {"steps": [*steps.values()], "program": solution.program}
    return None


def _of_choice(shown: Mapping[str, Any]) -> dict[str, Any]:
    right = next(choice for choice in shown["choices"] if choice["correct"])
    return {
        "choice": texts.render_line(right["text"]),
        "explanation": texts.render_block(shown["explanation"]) if shown["explanation"] else "",
    }
