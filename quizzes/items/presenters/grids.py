"""Arrays of an item as matrices: givens, grids to fill in, and results."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from django.utils.safestring import SafeString

from design.matrix import Cell, Matrix, describe_place, format_number, heat_level
from design.translation import gettext as _
from quizzes.items.presenters import texts
from quizzes.problems.answers import CellField, grid_of, nest_as_grid


class Caption(NamedTuple):
    """The caption of a matrix, as HTML and in plain words."""

    caption: SafeString
    name: str


# Orange marks attention weights, given or computed.
WEIGHTS = "weights"


def labels_of(labels: Sequence[Sequence[str]]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the labels of rows and of columns, either of which may be missing."""
    rows, columns = [(), (), *labels][-2:]
    return tuple(rows), tuple(columns)


def given_matrix(given: Mapping[str, Any]) -> Matrix:
    """Return the matrix of a given vector or matrix."""
    heat = given["key"] == WEIGHTS
    return _labelled(
        given,
        tuple(
            tuple(_number(value, heat=heat) for value in row)
            for row in nest_as_grid(given["values"])
        ),
        caption_of(given),
        given=given["key"],
    )


def solved_matrix(step: Mapping[str, Any], values: Any, caption: str = "") -> Matrix:
    """Return the matrix of a step's values, such as the exact ones, with the decimals asked for."""
    heat = step["key"] == WEIGHTS
    rows = tuple(
        tuple(_number(value, decimals=step["decimals"], heat=heat) for value in row)
        for row in nest_as_grid(values)
    )
    label = caption_of(step)
    # A wide matrix is a region of the page, so beside the answer it needs a name of its own.
    name = _("%(what)s: %(label)s") % {"what": caption or _("Solution"), "label": label.name}
    return _labelled(step, rows, Caption(caption or label.caption, name))


def step_matrix(
    step: Mapping[str, Any],
    typed: Callable[[int, int], Cell],
    *,
    number: int = 0,
    caption: str = "",
    name: str = "",
) -> Matrix:
    """Return a step's grid: `typed` makes the cells; fixed ones are filled in.

    One of several steps has its `number`. The caption is the step's label, unless a `caption` with
    a `name` in plain words is given.
    """
    fixed = {(row, column): value for row, column, value in step["fixed"]}
    row_count, column_count = grid_of(step["shape"])
    return _labelled(
        step,
        tuple(
            tuple(
                Cell(text=format_number(fixed[row, column]), value=fixed[row, column], fixed=True)
                if (row, column) in fixed
                else typed(row, column)
                for column in range(column_count)
            )
            for row in range(row_count)
        ),
        Caption(caption, name) if caption else caption_of(step),
        number=number,
    )


def cell_labels(step: Mapping[str, Any]) -> Callable[[int, int], str]:
    """Return a function for the accessible names of a step's cells: the step and its labels."""
    rows, columns = labels_of(step["labels"])
    in_row = [_("row %(name)s") % {"name": name} for name in rows]
    in_column = [_("column %(name)s") % {"name": name} for name in columns]
    asked = texts.strip_markup(step["label"])

    def label_of(row: int, column: int) -> str:
        places = (in_row[row] if rows else "", in_column[column] if columns else "")
        return ", ".join(filter(None, (asked, *places)))

    return label_of


def place_in_matrix(step: Mapping[str, Any], cell: CellField) -> str:
    """Return where a cell is in its matrix, in words, for use beside the matrix's caption."""
    place, size = (cell.row, cell.column), grid_of(step["shape"])
    return describe_place(place, size, *labels_of(step["labels"]))


def _labelled(
    array: Mapping[str, Any], cells: tuple[tuple[Cell, ...], ...], label: Caption, **options
) -> Matrix:
    rows, columns = labels_of(array["labels"])
    return Matrix(label.caption, cells, rows, columns, name=label.name, **options)


def caption_of(array: Mapping[str, Any]) -> Caption:
    """Return the caption of an array: its label."""
    caption = texts.render_line(array["label"])
    return Caption(caption, texts.words_of(caption))


def _number(value: float, *, decimals: int | None = None, heat: bool = False) -> Cell:
    return Cell(
        text=format_number(value, decimals), value=value, heat=heat_level(value) if heat else None
    )
