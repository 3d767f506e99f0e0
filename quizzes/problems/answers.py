"""Names of an item's fields, and conversion between drafts and raw answers.

A *field* names one cell or choice of an item (`weights-0-1`, `answer-choice`), an *input* a field
in a page's form (`item-3-weights-0-1`). A *draft* is the typed text by field. A *raw answer* is the
same text nested as each step is; attempts freeze it, and marking reads it. `shown` is what an item
shows or just its wording, as both have its fields.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from attention_core.grading.signs import is_blank

# The key of a concept question's only step.
CHOICE_STEP = "answer"

type Shown = Mapping[str, Any]
type Draft = Mapping[str, str]
type Raw = Mapping[str, Any]


class CellField(NamedTuple):
    """A cell to type: its field, its step, and its row and column."""

    field: str
    step: str
    row: int
    column: int


def is_choice(shown: Shown) -> bool:
    """Return whether this is a concept question."""
    return bool(shown["kind"] == "choice")


def cell_field(step: str, row: int, column: int) -> str:
    """Return the name of a cell's field; rows and columns count from 0."""
    return f"{step}-{row}-{column}"


def choice_field(step: str) -> str:
    """Return the name of a choice's field."""
    return f"{step}-choice"


def input_name(position: int | str, name: str) -> str:
    """Return the name of an item's field, or of another of its controls, in a page's form."""
    return f"item-{position}-{name}"


def grid_of(shape: Sequence[int]) -> tuple[int, int]:
    """Return how many rows and columns a step has: a vector is one row, a scalar one cell."""
    rows, columns = [1, 1, *shape][-2:]
    return rows, columns


def nest_as_grid(values: Any) -> list[list[Any]]:
    """Nest values as a matrix: a vector becomes one row, a scalar one cell."""
    if not isinstance(values, list):
        return [[values]]
    return values if values and isinstance(values[0], list) else [values]


def cell_fields(shown: Shown) -> Iterator[CellField]:
    """Yield every cell to type, by step, row and column."""
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
    """Return the names of an item's fields, all cells before all choices."""
    cells = [cell.field for cell in cell_fields(shown)]
    return cells + [choice_field(step) for step in _choice_steps(shown)]


def count_filled(shown: Shown, draft: Draft) -> int:
    """Count the fields in which something is typed or chosen."""
    return sum(not is_blank(draft.get(field, "")) for field in fields_of(shown))


def is_begun(shown: Shown, draft: Draft) -> bool:
    """Return whether anything is typed or chosen."""
    return count_filled(shown, draft) > 0


def is_complete(shown: Shown, draft: Draft) -> bool:
    """Return whether every cell is filled in and every choice made."""
    return count_filled(shown, draft) == len(fields_of(shown))


def nest(shown: Shown, draft: Draft) -> dict[str, Any]:
    """Return a draft as a raw answer: nested as each step is."""
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
    """Return a raw answer, or its marks, which are nested alike, by field; without fixed cells."""
    flat = {choice_field(step): raw.get(step, "") for step in _choice_steps(shown)}
    for cell in cell_fields(shown):
        flat[cell.field] = nest_as_grid(raw[cell.step])[cell.row][cell.column]
    return flat


def _choice_steps(shown: Shown) -> list[str]:
    if is_choice(shown):
        return [CHOICE_STEP]
    return [step["key"] for step in shown["steps"] if step["choices"]]
