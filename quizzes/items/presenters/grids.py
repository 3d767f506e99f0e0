"""Arrays of an item as matrices: what was given, what is typed, what is right."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from design.matrix import Cell, Matrix, heat_level, number_text, place_in_words
from quizzes.items.presenters import texts
from quizzes.problems.answers import CellField, as_grid, grid_of


class Caption(NamedTuple):
    """What a matrix is called: as HTML, and in plain words."""

    caption: SafeString
    name: str


# Orange is for attention, wherever it is given or found.
WEIGHTS = "weights"


def labels_of(labels: Sequence[Sequence[str]]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The labels of rows and of columns, either of which may be missing."""
    rows, columns = [(), (), *labels][-2:]
    return tuple(rows), tuple(columns)


def given_matrix(given: Mapping[str, Any]) -> Matrix:
    """A given vector or matrix."""
    heat = given["key"] == WEIGHTS
    return _labelled(
        given,
        tuple(
            tuple(_number(value, heat=heat) for value in row) for row in as_grid(given["values"])
        ),
        given=given["key"],
    )


def solved_matrix(step: Mapping[str, Any], values: Any, caption: str = "") -> Matrix:
    """Values of a step, the exact ones say, to the decimals that were asked for."""
    heat = step["key"] == WEIGHTS
    rows = tuple(
        tuple(_number(value, decimals=step["decimals"], heat=heat) for value in row)
        for row in as_grid(values)
    )
    # Beside the answer it must have a name of its own: a wide matrix is a region of the page.
    label = {"what": caption or _("Solution"), "label": caption_of(step).name}
    options = {"caption": caption} if caption else {}
    return _labelled(step, rows, name=_("%(what)s: %(label)s") % label, **options)


def step_matrix(
    step: Mapping[str, Any],
    typed: Callable[[int, int], Cell],
    *,
    number: int = 0,
    caption: str = "",
    name: str = "",
) -> Matrix:
    """A step's grid: `typed` makes the cells, those that are fixed are filled in.

    One of several bears its `number`. It is called as its step, or by a caption with a name in
    plain words.
    """
    fixed = {(row, column): value for row, column, value in step["fixed"]}
    row_count, column_count = grid_of(step["shape"])
    return _labelled(
        step,
        tuple(
            tuple(
                Cell(text=number_text(fixed[row, column]), value=fixed[row, column], fixed=True)
                if (row, column) in fixed
                else typed(row, column)
                for column in range(column_count)
            )
            for row in range(row_count)
        ),
        number=number,
        **({"caption": caption, "name": name} if caption else {}),
    )


def cell_labels(step: Mapping[str, Any]) -> Callable[[int, int], str]:
    """The accessible names of a step's cells: what is asked for, and its labels."""
    rows, columns = labels_of(step["labels"])
    in_row = [_("row %(name)s") % {"name": name} for name in rows]
    in_column = [_("column %(name)s") % {"name": name} for name in columns]
    asked = texts.plain(step["label"])

    def label_of(row: int, column: int) -> str:
        places = (in_row[row] if rows else "", in_column[column] if columns else "")
        return ", ".join(filter(None, (asked, *places)))

    return label_of


def place_in_matrix(step: Mapping[str, Any], cell: CellField) -> str:
    """The same as the matrix says it, where its caption stands by."""
    place, size = (cell.row, cell.column), grid_of(step["shape"])
    return place_in_words(place, size, *labels_of(step["labels"]))


def _labelled(array: Mapping[str, Any], cells: tuple[tuple[Cell, ...], ...], **options) -> Matrix:
    rows, columns = labels_of(array["labels"])
    label = caption_of(array)._asdict()
    return Matrix(rows=cells, row_labels=rows, column_labels=columns, **{**label, **options})


def caption_of(array: Mapping[str, Any]) -> Caption:
    """Its label, which may have been printed already."""
    return array.get("printed") or Caption(texts.line(array["label"]), texts.plain(array["label"]))


def _number(value: float, *, decimals: int | None = None, heat: bool = False) -> Cell:
    return Cell(
        text=number_text(value, decimals),
        value=value,
        heat=heat_level(value) if heat else None,
    )
