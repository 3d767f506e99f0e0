"""An item as it is asked: what it shows, what has been typed, and notes on that.

Nothing here may reveal the answer: no key, solution, seed or tolerance.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any

from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from design.fragments import render_fragment
from design.matrix import MINUS, Cell, Matrix, decimal_sign, format_number, plain_number
from quizzes.items.presenters import grids, texts
from quizzes.items.presenters.arrangement import arrange_steps, describe_sources
from quizzes.items.queries import prefetch_variants
from quizzes.models import Item
from quizzes.problems import CellNote, cell_notes
from quizzes.problems.answers import (
    CHOICE_STEP,
    cell_field,
    cell_fields,
    choice_field,
    input_name,
    is_begun,
    is_choice,
    is_complete,
)

NO_MARKS: Mapping[str, str] = MappingProxyType({})
UNANSWERED, PARTLY, ANSWERED, UNREADABLE = "unanswered", "partly", "answered", "unreadable"

STATE_WORDS = {
    UNANSWERED: gettext_lazy("not answered"),
    PARTLY: gettext_lazy("partly answered"),
    ANSWERED: gettext_lazy("answered"),
    UNREADABLE: gettext_lazy("has an entry that can’t be read"),
}


@dataclass(frozen=True)
class AskedStep:
    """A step to answer: an array to type, or choices to choose from."""

    html_id: str
    label: SafeString | str
    matrix: Matrix | None = None
    choices: Sequence[dict[str, Any]] = ()
    number: int = 0
    """Its number among several steps, from 1."""


@dataclass(frozen=True)
class AskedBody:
    """The question, and where the answer is typed."""

    position: int
    statement: SafeString
    matrices: tuple[Matrix, ...]
    scalars: tuple[dict[str, Any], ...]
    rows: tuple[tuple[AskedStep, ...], ...]
    """The steps, side by side where one follows from the other."""


@dataclass(frozen=True)
class AskedItem:
    """A question of the attempt's page."""

    position: int
    title: str
    is_choice: bool
    family: str
    points: str
    precision: str
    body: SafeString
    state: str
    flagged: bool
    revision: int
    token: str
    stored: tuple[tuple[str, str], ...] | None = None
    """The stored draft as (place, text), if another page saved first."""
    report: Any = None
    """The form to report the question, made by the reports feature."""
    lights: str = ""
    """The cells that make each cell, for the page's script; only if results come at once."""


def asked_items(
    items: Sequence[Item], *, typed: Mapping[int, Mapping[str, str]]
) -> list[AskedItem]:
    """Return the items of an attempt; `typed` has what was refused, by position."""
    prefetch_variants(items)
    return [asked_item(item, typed=typed.get(item.position)) for item in items]


def asked_item(
    item: Item,
    *,
    typed: Mapping[str, str] | None = None,
    marks: Mapping[str, str] = NO_MARKS,
    title: str = "",
) -> AskedItem:
    """Return the item with its draft, or with what was `typed` and refused.

    In practice, `marks` are those of the last check, by field.
    """
    asked, draft = item.asked, item.draft if typed is None else typed
    notes = cell_notes(asked, draft)
    decimals = {step["decimals"] for step in asked.get("steps", ()) if not step["choices"]}
    return AskedItem(
        position=item.position,
        title=title or _("Question %(number)s") % {"number": item.place},
        is_choice=is_choice(asked),
        family=asked.get("family", ""),
        points=texts.format_points_with_noun(item.points),
        precision=_precision(decimals),
        body=_body(item.position, item.shown, draft, notes, marks),
        state=_state(asked, draft, notes),
        flagged=item.flagged,
        revision=item.revision,
        token=item.token,
        stored=None if typed is None else tuple(describe_draft(item.shown, item.draft)),
        lights=describe_sources(asked),
    )


def render_preview(shown: Mapping[str, Any], position: int = 1) -> SafeString:
    """Render a question that is still being written, as a student would see it."""
    return _body(position, shown, {}, (), NO_MARKS)


def _body(
    position: int,
    shown: Mapping[str, Any],
    draft: Mapping[str, str],
    notes: Iterable[CellNote],
    marks: Mapping[str, str],
) -> SafeString:
    body = AskedBody(
        position=position,
        statement=texts.render_block(statement_of(shown)),
        **givens_of(shown),
        rows=_in_rows(shown, tuple(_steps(position, shown, draft, notes, marks))),
    )
    return render_fragment("quizzes/items/_asked.html", item=body)


def _in_rows(
    shown: Mapping[str, Any], steps: tuple[AskedStep, ...]
) -> tuple[tuple[AskedStep, ...], ...]:
    if len(steps) < 2:
        return (steps,)
    rows = arrange_steps(shown["steps"])
    return tuple(tuple(steps[place] for place in row) for row in rows)


def statement_of(shown: Mapping[str, Any]) -> str:
    """Return the question, in Markdown."""
    return shown["prompt"] if is_choice(shown) else shown["statement"]


def answer_state(shown: Mapping[str, Any], draft: Mapping[str, str]) -> str:
    """Return how far an item is answered."""
    return _state(shown, draft, cell_notes(shown, draft))


def _state(shown: Mapping[str, Any], draft: Mapping[str, str], notes: Iterable[CellNote]) -> str:
    if any(note.unreadable for note in notes):
        return UNREADABLE
    if not is_begun(shown, draft):
        return UNANSWERED
    return ANSWERED if is_complete(shown, draft) else PARTLY


def describe_draft(shown: Mapping[str, Any], draft: Mapping[str, str]) -> list[tuple[str, str]]:
    """Return a draft in words: the place and the text of every field that is filled in."""
    if is_choice(shown):
        words = {choice["key"]: texts.strip_markup(choice["text"]) for choice in shown["choices"]}
        chosen = draft.get(choice_field(CHOICE_STEP), "")
        return [(_("Your choice"), words.get(chosen, chosen))] if chosen else []
    entries = []
    for step in shown["steps"]:
        label = texts.strip_markup(step["label"])
        chosen = draft.get(choice_field(step["key"]), "")
        if step["choices"] and chosen:
            entries.append((label, _choice_text(step["choices"], chosen)))
    for cell in cell_fields(shown):
        if text := draft.get(cell.field, ""):
            label_of = grids.cell_labels(step_of(shown, cell.step))
            entries.append((label_of(cell.row, cell.column), texts.format_typed(text)))
    return entries


def step_of(shown: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    """Return the step of a numeric item under its key."""
    return next(step for step in shown["steps"] if step["key"] == key)


def serialize_notes(item: Item) -> list[dict[str, str]]:
    """Return the notes beside the cells of an item, for its page's script."""
    notes = [
        {
            "input": input_name(item.position, note.cell.field),
            "place": grids.place_in_matrix(step_of(item.shown, note.cell.step), note.cell),
            "note": note.unreadable,
            "read_as": format_reading(note.read_as, item.draft[note.cell.field]),
        }
        for note in cell_notes(item.asked, item.draft)
    ]
    return [each for each in notes if each["note"] or each["read_as"]]


def _precision(decimals: set[int]) -> str:
    if not decimals:
        return ""
    most = max(decimals)
    if not most:
        return _("whole numbers")
    if 0 in decimals:
        words = ngettext(
            "some whole numbers, others to %(most)s decimal",
            "some whole numbers, others to %(most)s decimals",
            most,
        )
    else:
        words = ngettext("to %(most)s decimal", "to %(most)s decimals", most)
    return words % {"most": most}


def givens_of(shown: Mapping[str, Any]) -> dict[str, tuple]:
    """Return the givens: matrices, and single numbers and words."""
    givens = shown.get("givens", ())
    return {
        "matrices": tuple(grids.given_matrix(given) for given in givens if given["labels"]),
        "scalars": tuple(_scalar(given) for given in givens if not given["labels"]),
    }


def _scalar(given: Mapping[str, Any]) -> dict[str, Any]:
    """Return a single given number or word."""
    value, is_word = given["values"], isinstance(given["values"], str)
    return {
        "key": given["key"],
        "label": texts.render_line(given["label"]),
        "value": value if is_word else plain_number(value),
        "text": value if is_word else format_number(value),
    }


def _steps(
    position: int,
    shown: Mapping[str, Any],
    draft: Mapping[str, str],
    notes: Iterable[CellNote],
    marks: Mapping[str, str],
):
    if is_choice(shown):
        offered = [(choice["key"], choice["text"]) for choice in shown["choices"]]
        yield _choice_step(position, CHOICE_STEP, "", offered, draft)
        return
    noted = {note.cell.field: note for note in notes}
    several = len(shown["steps"]) > 1
    for number, step in enumerate(shown["steps"], start=1):
        if step["choices"]:
            offered = [(str(place), word) for place, word in enumerate(step["choices"])]
            asked = _choice_step(position, step["key"], step["label"], offered, draft)
        else:
            asked = _typed_step(position, step, draft, noted, marks, number if several else 0)
        yield replace(asked, number=number) if several else asked


def _typed_step(
    position: int,
    step: Mapping[str, Any],
    draft: Mapping[str, str],
    notes: Mapping[str, CellNote],
    marks: Mapping[str, str],
    number: int,
) -> AskedStep:
    label_of = grids.cell_labels(step)

    def cell(row: int, column: int) -> Cell:
        field = cell_field(step["key"], row, column)
        note = notes.get(field)
        return Cell(
            text=draft.get(field, ""),
            input=input_name(position, field),
            label=label_of(row, column),
            note=note.unreadable if note else "",
            # A cell with a mark does not show this note.
            read_as=format_reading(note.read_as, draft[field])
            if note and field not in marks
            else "",
            mark=marks.get(field, ""),
        )

    return AskedStep(
        html_id=input_name(position, step["key"]),
        label=texts.render_line(step["label"]),
        matrix=grids.step_matrix(step, cell, number=number),
    )


def format_reading(read_as: str, typed: str) -> str:
    """Return how a number was read, in the language's notation; "" if it was typed that way."""
    shown = read_as.replace(".", decimal_sign()).replace("-", MINUS)
    return "" if shown == typed.strip().replace("-", MINUS) else shown


def _choice_step(
    position: int, key: str, label: str, offered: list[tuple[str, str]], draft: Mapping[str, str]
) -> AskedStep:
    field = choice_field(key)
    name = input_name(position, field)
    return AskedStep(
        html_id=input_name(position, key),
        label=texts.render_line(label),
        choices=[
            {
                "name": name,
                "html_id": f"{name}-{place}",
                "value": value,
                "text": texts.render_line(text),
                "checked": draft.get(field) == value,
            }
            for place, (value, text) in enumerate(offered)
        ],
    )


def _choice_text(choices: list[str], chosen: str) -> str:
    return choices[int(chosen)] if chosen.isdecimal() and int(chosen) < len(choices) else chosen
