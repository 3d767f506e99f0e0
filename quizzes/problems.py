"""The only door to attention_core: variants drawn, items shown, answers read and marked.

Nothing here touches the database. What goes in and out is JSON as the rows keep it: a *kind* is
a family with its options, `shown` is what an item showed, a *draft* is raw text by cell
(`weights-0-1`; a choice under `answer-choice`), `raw` is an answer's text nested as its step is.
"""

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from django.utils.translation import gettext

import attention_core
from attention_core.errors import AuthorError, UnreadableNumber
from attention_core.grading.mark import (
    BLANK,
    MISTAKE,
    OTHER_CHOICE,
    RIGHT,
    Answered,
    Mark,
    continued,
    mark_many,
)
from attention_core.grading.parse import LONGEST, parse_number
from attention_core.grading.tolerance import within
from attention_core.problems.catalogue import problem_from_json, problem_to_json
from attention_core.problems.family import Problem, Step
from attention_core.problems.ways import CAREFUL

CORE_VERSION = attention_core.__version__
CHOICE_STEP = "answer"


class UnknownKind(ValueError):
    """A slot asks for a family or for options that the core does not have."""


def kind_of(family: str, options: Mapping[str, Any]) -> str:
    """The name of everything that a variant of this family and these options shares.

    Raises:
        UnknownKind: with a sentence for the author.
    """
    if not isinstance(options, Mapping):
        raise UnknownKind(gettext('Options read {"tokens": 3}, a size for each name'))
    try:
        member = attention_core.family(family)
        sizes = member.canonical(options)
    except AuthorError as wrong:
        raise UnknownKind(str(wrong)) from wrong
    return f"{member.key}/{member.version}/{json.dumps(sizes, sort_keys=True)}"


def family_choices() -> list[tuple[str, str]]:
    """Keys and titles of all families, for forms."""
    return [(key, f"{member.title} ({key})") for key, member in attention_core.families().items()]


def family_keys() -> list[str]:
    """The keys of all families."""
    return list(attention_core.families())


def is_family(key: str) -> bool:
    """Is there such a family?"""
    return key in attention_core.families()


def family_title(key: str) -> str:
    """A family's title; its key when it is no longer there."""
    member = attention_core.families().get(key)
    return member.title if member else key


def family_summary(key: str) -> str:
    """One sentence on a family; nothing when it is no longer there."""
    member = attention_core.families().get(key)
    return member.summary if member else ""


@dataclass(frozen=True)
class Cost:
    """What one variant of a kind asks of a student."""

    cells: int
    minutes: float


def cost_of(family: str, options: Mapping[str, Any]) -> Cost:
    """How many cells and minutes a variant costs; raises UnknownKind."""
    kind_of(family, options)
    problem = attention_core.draw(family, "cost", **options)
    return Cost(problem.cells, problem.minutes)


def draw_variant(kind: str, seed: str) -> dict[str, Any]:
    """A proven variant of this kind, as the columns of its row."""
    family, _, options = kind.split("/", 2)
    stored = problem_to_json(attention_core.draw(family, seed, **json.loads(options)))
    return {"kind": kind, **stored}


# What an item shows


def shown_variant(variant: Mapping[str, Any]) -> dict[str, Any]:
    """What an item of this variant shows: all the words, so that later edits change nothing."""
    problem = problem_from_json(variant)
    family = problem.family
    return {
        "kind": "numeric",
        "family": family.key,
        "title": family.title,
        "statement": problem.statement,
        "givens": [
            {
                "key": given.key,
                "label": problem.tell(given.label),
                "labels": problem.labels(given.axes, problem.givens[given.key].shape),
                "values": problem.givens[given.key].tolist(),
            }
            for given in family.givens
        ],
        "steps": [
            {
                "key": step.key,
                "label": problem.tell(step.label),
                "labels": problem.labels(step.axes, problem.values[step.key].shape),
                "shape": list(problem.values[step.key].shape),
                "fixed": _fixed_cells(problem, step.key),
                "decimals": step.decimals,
                "tolerance": problem.tolerance[step.key],
                "choices": list(problem.words[step.choices]) if step.choices else [],
            }
            for step in family.steps
        ],
    }


def _fixed_cells(problem: Problem, step: str) -> list[list[Any]]:
    """[row, column, value] of every cell that is filled in."""
    grid = np.atleast_2d(problem.values[step])
    typed = np.atleast_2d(problem.typed[step])
    return [
        [int(row), int(column), float(grid[row, column])] for row, column in np.argwhere(~typed)
    ]


def shown_question(
    *, key: str, topic: str, prompt: str, explanation: str, choices: list[dict[str, Any]]
) -> dict[str, Any]:
    """What an item of a concept question shows, with the key and feedback to mark it by."""
    return {
        "kind": "choice",
        "key": key,
        "topic": topic,
        "prompt": prompt,
        "explanation": explanation,
        "choices": choices,
    }


def grid_of(shape: list[int]) -> tuple[int, int]:
    """Rows and columns in which a step is typed: a vector is one row, a scalar one cell."""
    rows, columns = [1, 1, *shape][-2:]
    return rows, columns


def typed_cells(shown: Mapping[str, Any]) -> Iterator[tuple[str, str, int, int]]:
    """Every cell to type, in reading order: its draft key, step, row and column."""
    for step in shown.get("steps", ()):
        if step["choices"]:
            continue
        fixed = {(row, column) for row, column, _ in step["fixed"]}
        rows, columns = grid_of(step["shape"])
        for row in range(rows):
            for column in range(columns):
                if (row, column) not in fixed:
                    yield f"{step['key']}-{row}-{column}", step["key"], row, column


def fields_of(shown: Mapping[str, Any]) -> list[str]:
    """The draft keys that an item takes."""
    if shown["kind"] == "choice":
        return [choice_field(CHOICE_STEP)]
    choices = [choice_field(step["key"]) for step in shown["steps"] if step["choices"]]
    return [key for key, *_ in typed_cells(shown)] + choices


def choice_field(step: str) -> str:
    """The draft key of a choice."""
    return f"{step}-choice"


# What was typed


def clean_draft(shown: Mapping[str, Any], fields: Mapping[str, Any]) -> dict[str, str]:
    """The part of posted fields that belongs to this item, cut to what could ever be read."""
    return {
        key: _storable(fields[key][: LONGEST + 1])
        for key in fields_of(shown)
        if isinstance(fields.get(key), str)
    }


def _storable(text: str) -> str:
    """The text without what no database keeps (NUL, lone surrogates): unreadable all the same."""
    return text.replace("\0", "\ufffd").encode("utf-8", "replace").decode("utf-8")


def is_begun(shown: Mapping[str, Any], draft: Mapping[str, str]) -> bool:
    """Is anything typed or chosen?"""
    return any(draft.get(field, "").strip() for field in fields_of(shown))


def raw_answer(shown: Mapping[str, Any], draft: Mapping[str, str]) -> dict[str, Any]:
    """A draft as an answer keeps it: nested as each step is."""
    if shown["kind"] == "choice":
        return {CHOICE_STEP: draft.get(choice_field(CHOICE_STEP), "")}
    raw: dict[str, Any] = {}
    for step in shown["steps"]:
        if step["choices"]:
            raw[step["key"]] = draft.get(choice_field(step["key"]), "")
            continue
        rows, columns = grid_of(step["shape"])
        grid = [
            [draft.get(f"{step['key']}-{row}-{column}", "") for column in range(columns)]
            for row in range(rows)
        ]
        raw[step["key"]] = (grid[0][0], grid[0], grid)[len(step["shape"])]
    return raw


@dataclass(frozen=True)
class Reading:
    """What one typed cell was read as, where that needs saying."""

    field: str
    unreadable: str = ""
    read_as: str = ""


def readings(shown: Mapping[str, Any], draft: Mapping[str, str]) -> list[Reading]:
    """What to say beside cells: why one cannot be read, or what an odd text was read as."""
    told = []
    whole = {step["key"]: step["decimals"] == 0 for step in shown.get("steps", ())}
    for field, step, _, _ in typed_cells(shown):
        text = draft.get(field, "")
        if not text or text.isspace():
            continue
        try:
            number = parse_number(text, integer=whole[step])
        except UnreadableNumber as why:
            told.append(Reading(field, unreadable=str(why)))
        else:
            if number.read_as:
                told.append(Reading(field, read_as=number.read_as))
    return told


# Marks


@dataclass(frozen=True, slots=True)
class Marked:
    """A mark as the row of a grade keeps it, with its points still exact."""

    points: Fraction
    out_of: Fraction
    verdict: str
    mistake: str
    steps: list[dict[str, Any]]
    solution_changed: bool = False


@dataclass(frozen=True, slots=True)
class StoredProblem:
    """A variant ready to be marked against: built once, used for every answer to it."""

    problem: Problem
    solution: Mapping[str, np.ndarray]


def stored_problem(variant: Mapping[str, Any]) -> StoredProblem:
    """The problem behind a variant's columns; raises UnknownKind when its family is gone."""
    try:
        problem = problem_from_json(variant)
    except AuthorError as gone:
        raise UnknownKind(str(gone)) from gone
    return StoredProblem(
        problem, {key: np.array(array) for key, array in variant["solution"].items()}
    )


def mark_numeric(answers: Iterable[tuple[StoredProblem, Mapping[str, Any], int]]) -> list[Marked]:
    """Mark (problem, raw answer, points) in bulk, in the order given."""
    marks = mark_many(
        [
            Answered(stored.problem, raw, Fraction(points), stored.solution)
            for stored, raw, points in answers
        ]
    )
    return [_as_row(mark) for mark in marks]


def _as_row(mark: Mark) -> Marked:
    steps = [
        {
            "key": step.key,
            "verdict": step.verdict,
            "mistake": step.mistake,
            "cells": step.cells,
            "points": str(step.points),
            "out_of": str(step.out_of),
        }
        for step in mark.steps
    ]
    return Marked(
        mark.points, mark.out_of, mark.verdict, mark.mistake, steps, mark.solution_changed
    )


def mark_choice(shown: Mapping[str, Any], raw: Mapping[str, Any], points: int) -> Marked:
    """Mark the one step of a concept question: right, a mistake (the choice's key) or blank."""
    chosen = next(
        (choice for choice in shown["choices"] if choice["key"] == raw.get(CHOICE_STEP)), None
    )
    out_of = Fraction(points)
    verdict, mistake, earned = BLANK, "", Fraction()
    if chosen and chosen["correct"]:
        verdict, earned = RIGHT, out_of
    elif chosen:
        verdict, mistake = MISTAKE, chosen["key"]
    step = {
        "key": CHOICE_STEP,
        "verdict": verdict,
        "mistake": mistake,
        "cells": None,
        "points": str(earned),
        "out_of": str(out_of),
    }
    return Marked(earned, out_of, verdict, mistake, [step])


# The review


@dataclass(frozen=True)
class WorkedStep:
    """One step of the worked solution.

    Attributes:
        careful: what comes out when every intermediate result is rounded to three decimals; None
            where nothing is rounded.
        continued: what is right from the student's own earlier steps, where these were not.
        tolerance: how far from the exact values a right answer may be.
    """

    key: str
    how: str
    latex: str
    values: Any
    feedback: Mapping[str, str]
    careful: Any = None
    continued: Any = None
    tolerance: float = 0.0


def worked_solution(
    variant: Mapping[str, Any], raw: Mapping[str, Any] | None = None
) -> list[WorkedStep]:
    """The solution step by step with this variant's numbers, and what to say of each mistake.

    With a `raw` answer also how its own numbers go on.

    Raises:
        UnknownKind: the variant's family is no longer there.
    """
    problem = stored_problem(variant).problem
    own = continued(problem, raw) if raw else {}
    careful = problem.family.solve(problem.givens, CAREFUL[0])
    return [
        WorkedStep(
            step.key,
            step.how,
            step.worked(problem.values),
            variant["solution"][step.key],
            {mistake.key: mistake.feedback for mistake in step.mistakes}
            | {OTHER_CHOICE: step.wrong_choice},
            careful=_rounded(careful[step.key], step.decimals) if _is_rounded(step) else None,
            continued=_elsewhere(own.get(step.key), problem, step.key),
            tolerance=problem.tolerance[step.key],
        )
        for step in problem.family.steps
    ]


def _is_rounded(step: Step) -> bool:
    return bool(step.decimals) and not step.choices


def _rounded(values: np.ndarray, decimals: int) -> Any:
    return np.round(values, decimals).tolist()


def _elsewhere(own: np.ndarray | None, problem: Problem, key: str) -> Any:
    """Values that an answer's own numbers lead to, where they lead elsewhere; else None."""
    exact = problem.values[key]
    if own is None or own.shape != exact.shape or not np.isfinite(own).all():
        return None
    if within(own, exact, np.asarray(problem.tolerance[key])).all():
        return None
    return own.tolist()
