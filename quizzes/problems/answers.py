"""How an answer is named and nested: the one codec between pages, drafts and marking.

What an item shows says what it takes, and so does its wording, of which alone nothing need be
composed. A *field* is one cell or choice of it (`weights-0-1`,
`answer-choice`), a *draft* its raw text by field, an *input* a field in a page's form
(`item-3-weights-0-1`). A *raw* answer holds the same text nested as each step is: that is what is
frozen and marked.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from attention_core.grading.signs import is_blank

# The one step of a concept question.
CHOICE_STEP = "answer"

type Shown = Mapping[str, Any]
type Draft = Mapping[str, str]
type Raw = Mapping[str, Any]


class CellField(NamedTuple):
    """A cell to type: its field, and where it stands."""

    field: str
    step: str
    row: int
    column: int


def is_choice(shown: Shown) -> bool:
    """Is this a concept question, with nothing to type?"""
    return bool(shown["kind"] == "choice")


def cell_field(step: str, row: int, column: int) -> str:
    """The field of a cell, its row and column counted from 0."""
    return f"{step}-{row}-{column}"


def choice_field(step: str) -> str:
    """The field of a choice."""
    return f"{step}-choice"


def input_name(position: int | str, name: str) -> str:
    """What a field, or whatever else a form carries for an item, is called in its page."""
    return f"item-{position}-{name}"


def grid_of(shape: Sequence[int]) -> tuple[int, int]:
    """Rows and columns in which a step is typed: a vector is one row, a scalar one cell."""
    rows, columns = [1, 1, *shape][-2:]
    return rows, columns


def as_grid(values: Any) -> list[list[Any]]:
    """Nested as a matrix is: a vector is one row, a scalar one cell."""
    if not isinstance(values, list):
        return [[values]]
    return values if values and isinstance(values[0], list) else [values]


def cell_fields(shown: Shown) -> Iterator[CellField]:
    """Every cell to type, in reading order."""
    for step in shown.get("steps", ()):
        if step["choices"]:
            continue
        fixed = {(row, column) for row, column, _ in step["fixed"]}
        rows, columns = grid_of(step["shape"])
        for row in range(rows):
            for column in range(columns):
                if (row, column) not in fixed:
                    field = cell_field(step["key"], row, column)
                    yield CellField(field, step["key"], row, column)


def fields_of(shown: Shown) -> list[str]:
    """The fields that an item takes."""
    cells = [cell.field for cell in cell_fields(shown)]
    return cells + [choice_field(step) for step in _choice_steps(shown)]


def filled(shown: Shown, draft: Draft) -> int:
    """Count the fields in which something is typed or chosen."""
    return sum(not is_blank(draft.get(field, "")) for field in fields_of(shown))


def is_begun(shown: Shown, draft: Draft) -> bool:
    """Is anything typed or chosen?"""
    return filled(shown, draft) > 0


def is_complete(shown: Shown, draft: Draft) -> bool:
    """Is something typed in every cell, and a choice made wherever there is one?"""
    return filled(shown, draft) == len(fields_of(shown))


def nest(shown: Shown, draft: Draft) -> dict[str, Any]:
    """A draft as an answer keeps it: nested as each step is."""
    if is_choice(shown):
        return {CHOICE_STEP: draft.get(choice_field(CHOICE_STEP), "")}
    return {step["key"]: _nested(step, draft) for step in shown["steps"]}


def _nested(step: Mapping[str, Any], draft: Draft) -> Any:
    if step["choices"]:
        return draft.get(choice_field(step["key"]), "")
    rows, columns = grid_of(step["shape"])
    grid = [
        [draft.get(cell_field(step["key"], row, column), "") for column in range(columns)]
        for row in range(rows)
    ]
    return (grid[0][0], grid[0], grid)[len(step["shape"])]


def flatten(shown: Shown, raw: Raw) -> dict[str, Any]:
    """An answer as the draft that it was: by field. Also what is nested like one, marks say."""
    flat = {choice_field(step): raw.get(step, "") for step in _choice_steps(shown)}
    for cell in cell_fields(shown):
        flat[cell.field] = as_grid(raw[cell.step])[cell.row][cell.column]
    return flat


def _choice_steps(shown: Shown) -> list[str]:
    if is_choice(shown):
        return [CHOICE_STEP]
    return [step["key"] for step in shown["steps"] if step["choices"]]
