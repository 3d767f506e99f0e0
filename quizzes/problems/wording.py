"""Wordings of items, what items show, and what may be typed into them."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

import numpy as np

from attention_core.catalogue import problem_from_json
from attention_core.errors import BadOptions, UnreadableNumber
from attention_core.grading.parse import MAX_LENGTH, parse_number
from attention_core.grading.signs import is_blank
from attention_core.problems.family import Given, Problem, fill_in, labels
from attention_core.structure import step_dependencies
from quizzes.problems.answers import CellField, cell_fields, fields_of
from quizzes.problems.schemas import (
    ChoiceWording,
    GivenWording,
    NumericWording,
    Shown,
    ShownGiven,
    ShownProblem,
    ShownStep,
    StepWording,
    StoredVariant,
    WordedChoice,
    Wording,
)


def variant_wording(variant: StoredVariant) -> NumericWording:
    """Return today's wording of a variant: its texts before words and numbers are put in.

    It contains computed givens as values, and the fixed cells, so showing it again takes no family.
    """
    problem = problem_from_json(variant)
    return wording_of(problem, _made_of(problem))


def wording_of(problem: Problem, made_of: dict[str, dict[str, list[str]]]) -> NumericWording:
    """Return the wording of a problem; `made_of` has which parts of what make each step's cells."""
    family = problem.family
    return {
        "kind": "numeric",
        "to_fill": True,
        "family": family.key,
        "title": family.title,
        "statement": family.statement,
        "givens": [_given_wording(given, problem) for given in family.givens],
        "steps": [
            {
                "key": step.key,
                "label": step.label,
                "axes": list(step.axes),
                "shape": list(problem.values[step.key].shape),
                "fixed": [list(cell) for cell in problem.fixed_cells(step.key)],
                "decimals": step.decimals,
                "choices": step.choices,
                "made_of": made_of.get(step.key, {}),
            }
            for step in family.steps
        ],
    }


def _made_of(problem: Problem) -> dict[str, dict[str, list[str]]]:
    """Return which parts of which givens and earlier steps make each step's cells, by rules."""
    try:
        sizes = problem.family.canonical(problem.options)
    except BadOptions:
        return {}  # drawn when the family had other sizes
    found = step_dependencies(problem.family, sizes)
    return {
        step: {source: list(part) for source, part in sources.items()}
        for step, sources in found.items()
    }


def _given_wording(given: Given, problem: Problem) -> GivenWording:
    worded: GivenWording = {
        "key": given.name or given.key,
        "label": given.label,
        "axes": list(given.axes),
    }
    if given.text:
        worded["text"] = given.text
    elif given.value:
        worded["values"] = np.asarray(problem.shown(given)).tolist()
    else:
        worded["given"] = given.key
    return worded


def question_wording(
    *, key: str, topic: str, prompt: str, explanation: str, choices: Sequence[WordedChoice]
) -> ChoiceWording:
    """Return the wording of a concept question, with the choice keys and feedback for marking."""
    return {
        "kind": "choice",
        "key": key,
        "topic": topic,
        "prompt": prompt,
        "explanation": explanation,
        "choices": choices,
    }


def shown(wording: Wording, *, order: str = "", variant: StoredVariant | None = None) -> Shown:
    """Return what an item shows: its wording with the variant's numbers, or its ordered choices."""
    if variant and wording.get("to_fill"):
        return _filled(cast(NumericWording, wording), variant)
    if order:
        asked = cast(ChoiceWording, wording)
        return {**asked, "choices": decode_order(asked["choices"], order)}
    made: dict[str, Any] = dict(wording)
    # Stored with its numbers by a release that had no rules of what cells are made of.
    if "steps" in made:
        made["steps"] = [{"made_of": {}, **step} for step in made["steps"]]
    return cast(Shown, made)


def _filled(wording: NumericWording, variant: StoredVariant) -> ShownProblem:
    words, givens = variant["words"], variant["givens"]

    def fill(text: str) -> str:
        return fill_in(text, words, givens)

    def given_of(given: GivenWording) -> ShownGiven:
        if "text" in given:
            values = fill(given["text"])
        else:
            values = givens[given["given"]] if "given" in given else given["values"]
        return {
            "key": fill(given["key"]),
            "label": fill(given["label"]),
            "labels": labels(given["axes"], np.shape(values), words) if given["axes"] else [],
            "values": values,
        }

    def step_of(step: StepWording) -> ShownStep:
        return {
            "key": step["key"],
            "label": fill(step["label"]),
            "labels": labels(step["axes"], step["shape"], words),
            "shape": step["shape"],
            "fixed": step["fixed"],
            "decimals": step["decimals"],
            "tolerance": variant["tolerance"][step["key"]],
            "choices": list(words[step["choices"]]) if step["choices"] else [],
            # Wordings from before this existed lack it.
            "made_of": step.get("made_of", {}),
        }

    return {
        "kind": wording["kind"],
        "family": wording["family"],
        "title": wording["title"],
        "statement": fill(wording["statement"]),
        "givens": [given_of(given) for given in wording["givens"]],
        "steps": [step_of(step) for step in wording["steps"]],
    }


def order_of(places: Iterable[int]) -> str:
    """Encode places counted from 0 as one character each, "2031"; a colon follows the nine."""
    return "".join(chr(ord("0") + place) for place in places)


def decode_order[T](choices: Sequence[T], order: str) -> list[T]:
    """Return the choices in the order in which a student saw them; without an order, unchanged."""
    return [choices[ord(place) - ord("0")] for place in order] if order else list(choices)


def clean_draft(shown: Mapping[str, Any], fields: Mapping[str, Any]) -> dict[str, str]:
    """Return the posted fields that belong to this item, cut to the longest readable length."""
    return {
        key: _storable(fields[key][: MAX_LENGTH + 1])
        for key in fields_of(shown)
        if isinstance(fields.get(key), str)
    }


def _storable(text: str) -> str:
    """Replace what no database keeps (NUL, lone surrogates); such text is unreadable either way."""
    return text.replace("\0", "\ufffd").encode("utf-8", "replace").decode("utf-8")


@dataclass(frozen=True)
class CellNote:
    """A note beside a cell: why it cannot be read, or what an odd text was read as."""

    cell: CellField
    unreadable: str = ""
    read_as: str = ""


def cell_notes(shown: Mapping[str, Any], draft: Mapping[str, str]) -> list[CellNote]:
    """Return the notes beside the cells of a draft, in reading order."""
    notes = []
    whole = {step["key"]: step["decimals"] == 0 for step in shown.get("steps", ())}
    for cell in cell_fields(shown):
        text = draft.get(cell.field, "")
        if is_blank(text):
            continue
        try:
            number = parse_number(text, integer=whole[cell.step])
        except UnreadableNumber as why:
            notes.append(CellNote(cell, unreadable=str(why)))
        else:
            if number.read_as:
                notes.append(CellNote(cell, read_as=number.read_as))
    return notes


def unreadable_field(shown: Mapping[str, Any], draft: Mapping[str, str]) -> str:
    """Return the first field of a draft whose text is no number; "" if there is none."""
    return next((note.cell.field for note in cell_notes(shown, draft) if note.unreadable), "")
