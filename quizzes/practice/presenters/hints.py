"""The help that practice gives on an item: hints that were taken, the next one, the solution."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from django.utils.safestring import SafeString
from django.utils.translation import gettext_lazy

from quizzes import problems
from quizzes.items.presenters import grids, texts
from quizzes.items.presenters.worked_solution import Solved, SolvedStep
from quizzes.models import Item
from quizzes.practice.hints import CELL, FORMULA, NUDGE, SOLUTION, step_at_hand
from quizzes.problems import StepHints, UnknownKind
from quizzes.problems.answers import is_choice

NEXT = {
    NUDGE: gettext_lazy("Hint: a nudge"),
    FORMULA: gettext_lazy("Hint: the formula"),
    CELL: gettext_lazy("Hint: the first cell"),
}


@dataclass(frozen=True)
class TakenHints:
    """The hints that were taken on one step; what was not is empty."""

    label: SafeString | str
    nudge: SafeString
    formula: SafeString
    cell: SafeString


@dataclass(frozen=True)
class Solution:
    """What is right, without an answer beside it."""

    steps: tuple[SolvedStep, ...] = ()
    choice: SafeString | str = ""
    explanation: SafeString | str = ""
    program: str = ""


@dataclass(frozen=True)
class Help:
    """The help on one item.

    Attributes:
        step: on which the next hint is.
        next_hint: what its button says; "" where there is none left on this step.
        may_see: the solution is there to be asked for.
    """

    taken: tuple[TakenHints, ...]
    step: str
    next_hint: str
    may_see: bool
    solution: Solution | None


def help_on(item: Item, wrong: str = "", *, is_right: bool = False) -> Help | None:
    """The help on an item; `wrong` is the first step that the last check did not find right.

    None where there is nothing to give: all is right, and no hint was taken.
    """
    if is_right and not item.hints:
        return None
    taken, shown = item.hints or {}, item.shown
    solution = None
    if SOLUTION in taken:
        solution = _of_choice(shown) if is_choice(shown) else _of_numbers(item)
    hints = [] if is_choice(shown) else _hints_of(item)
    at_hand = step_at_hand(shown, item.draft, wrong) if hints else ""
    labels = _labels(shown)
    following = taken.get(at_hand, 0) + 1
    is_left = bool(hints) and following <= CELL and solution is None and not is_right
    return Help(
        taken=tuple(
            _taken(each, taken[each.key], labels[each.key]) for each in hints if taken.get(each.key)
        ),
        step=at_hand,
        next_hint=str(NEXT[following]) if is_left else "",
        may_see=solution is None and not is_right and (is_choice(shown) or bool(hints)),
        solution=solution,
    )


def formulas_of(item: Item) -> tuple[TakenHints, ...]:
    """How each step is done, for whoever never met it: the nudge and the formula."""
    labels = _labels(item.shown)
    return tuple(_taken(each, FORMULA, labels[each.key]) for each in _hints_of(item))


def _labels(shown: Mapping[str, Any]) -> dict[str, SafeString | str]:
    """What the steps are called; a single one needs no name."""
    steps = shown.get("steps", ())
    if len(steps) == 1:
        return {steps[0]["key"]: ""}
    return {step["key"]: grids.caption_of(step).caption for step in steps}


def _hints_of(item: Item) -> Sequence[StepHints]:
    with suppress(UnknownKind):  # the family is gone
        return problems.hints_of(vars(item.variant))
    return ()


def _taken(hints: StepHints, level: int, label: SafeString | str) -> TakenHints:
    return TakenHints(
        label=label,
        nudge=texts.line(hints.nudge),
        formula=texts.formula(hints.formula if level >= FORMULA else ""),
        cell=texts.formula(hints.cell if level >= CELL else ""),
    )


def _of_numbers(item: Item) -> Solution | None:
    variant = vars(item.variant)
    with suppress(UnknownKind):
        steps = {step.key: step for step in problems.worked_solution(variant)}
        solved = Solved.of(item.shown, steps, problems.program_of(variant))
        return Solution(steps=tuple(solved.steps.values()), program=solved.program)
    return None


def _of_choice(shown: Mapping[str, Any]) -> Solution:
    right = next(choice for choice in shown["choices"] if choice["correct"])
    return Solution(
        choice=texts.line(right["text"]),
        explanation=texts.block(shown["explanation"]) if shown["explanation"] else "",
    )
