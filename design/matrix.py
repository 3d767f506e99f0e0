"""Matrices as people see them: cells with text, heat, inputs and marks.

One presenter shows a given matrix, an input, a marked answer and a solution, so that a student
learns to read it once. A page builds a `Matrix` and renders it with ``{% load design %}{% matrix m
%}``.
"""

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property
from typing import NamedTuple

from django.utils.formats import get_format

from design.translation import gettext as _
from design.verdicts import SIGNS, WORDS

MINUS = "\N{MINUS SIGN}"
HEAT_STEPS = 10

# The characters that fit on a phone of 320 px. The region of a wider matrix is focusable, so that
# it can be scrolled from the keyboard.
_CHARACTERS_ON_A_PHONE = 27
_MIN_CELL_WIDTH = 6
MIN_INPUT_WIDTH = 8
_COLUMNS_AT_FULL_SIZE = 8
_MAX_UPRIGHT = 3
_NUMBER = re.compile(rf"(?P<sign>{MINUS}?)(?P<whole>\d+)(?P<fraction>(?:[.,]\d+)?)")


class Cell(NamedTuple):
    """A cell. All fields are optional. A page makes hundreds, and tuples are made soonest."""

    text: str = ""
    """The text that is printed, or the input's value."""
    value: float | None = None
    """The cell's number, for programs (``data-value``)."""
    heat: int | None = None
    """0 (paper) to 9 (deep orange)."""
    input: str = ""
    """The name of the form field; makes the cell a text input."""
    label: str = ""
    """The input's accessible name. Derived from its row and column when empty."""
    note: str = ""
    """A problem with this cell, e.g. why it could not be read."""
    read_as: str = ""
    """The number that an odd text was read as; shown inside the cell."""
    mark: str = ""
    """"right", "near", "wrong", "blank", "unreadable" or ""."""
    fixed: bool = False
    """Whether it is shown filled in and never typed, e.g. a masked cell."""

    @property
    def data_value(self) -> str:
        """The value in its shortest exact form, or nothing."""
        if self.value is None or not math.isfinite(self.value):
            return ""
        return plain_number(self.value)

    @property
    def sign(self) -> str:
        """The mark's sign."""
        return SIGNS.get(self.mark, "")

    @property
    def word(self) -> str:
        """The mark's word."""
        return str(WORDS.get(self.mark, ""))


@dataclass(frozen=True)
class Matrix:
    """A grid of cells with a caption and, outside the brackets, labels."""

    caption: str
    rows: tuple[tuple[Cell, ...], ...]
    row_labels: tuple[str, ...] = ()
    column_labels: tuple[str, ...] = ()
    given: str = ""
    """The key of the given it shows (``data-given``)."""
    html_id: str = ""
    name: str = ""
    """The caption in plain words, where the caption itself is HTML."""
    number: int = 0
    """Its place among the steps of one question, from 1; 0 where it is none of several."""

    def __post_init__(self):
        widths = {len(row) for row in self.rows}
        if len(widths) > 1:
            raise ValueError(f"{self.caption!r} has rows of different lengths: {widths}")
        for labels, count in (
            (self.row_labels, len(self.rows)),
            (self.column_labels, widths.pop() if widths else 0),
        ):
            if labels and len(labels) != count:
                raise ValueError(f"{self.caption!r} has {len(labels)} labels for {count} lines")

    @property
    def width(self) -> int:
        """The number of columns."""
        return len(self.rows[0]) if self.rows else 0

    @property
    def wide(self) -> bool:
        """Whether it may need to scroll on a phone, judged by the characters in it."""
        lines = [*self.texts, self.column_labels] if self.column_labels else self.texts
        narrowest = MIN_INPUT_WIDTH if self.takes_answers else _MIN_CELL_WIDTH
        longest = (max(map(len, column)) for column in zip(*lines, strict=True))
        across = sum(max(narrowest, length + 2) for length in longest)
        return across + max(map(len, self.row_labels), default=0) > _CHARACTERS_ON_A_PHONE

    @property
    def texts(self) -> list[list[str]]:
        """The printed texts, row by row."""
        return [[cell.text for cell in row] for row in self.rows]

    @cached_property
    def takes_answers(self) -> bool:
        """Whether something can be typed into it."""
        return any(cell.input for row in self.rows for cell in row)

    @property
    def dense(self) -> bool:
        """Whether it has so many columns that its numbers are set smaller."""
        return self.width > _COLUMNS_AT_FULL_SIZE

    @property
    def heated(self) -> bool:
        """Whether all its cells also show their size by colour."""
        return all(cell.heat is not None for row in self.rows for cell in row)

    @property
    def turned(self) -> bool:
        """Whether its column labels have to be turned to fit above the columns."""
        return self.dense and max(map(len, self.column_labels), default=0) > _MAX_UPRIGHT

    @cached_property
    def notes(self) -> dict[str, list["PlacedCell"]]:
        """The notes on its cells, each with the cells that share it."""
        notes: dict[str, list[PlacedCell]] = {}
        if self._has_notes:
            for _, row in self.lines:
                for placed in row:
                    if placed.cell.note:
                        notes.setdefault(placed.cell.note, []).append(placed)
        return notes

    def described_by(self, cell: Cell) -> str:
        """Return the ids of an input's descriptions, beside it and below the matrix.

        Cells that share a note share its line, which is named after the first of them.
        """
        ids = [f"{self.notes[cell.note][0].cell.input}-note"] if cell.note else []
        ids += [f"{cell.input}-read"] if cell.read_as else []
        return " ".join(ids + ([f"{cell.input}-mark"] if cell.mark else []))

    @cached_property
    def _has_notes(self) -> bool:
        return any(cell.note for row in self.rows for cell in row)

    @cached_property
    def lines(self) -> list[tuple[str, list["PlacedCell"]]]:
        """Each row with its label, its cells padded to align their decimal points."""
        pads = [_padding(cells) for cells in zip(*self.rows, strict=True)]
        # Only inputs and cells with notes have to name their place.
        named = self.takes_answers or self._has_notes
        size = (len(self.rows), self.width)
        in_row = _line_names(_("row %(name)s"), self.row_labels, size[0]) if named else []
        in_column = _line_names(_("column %(name)s"), self.column_labels, size[1]) if named else []
        return [
            (
                self.row_labels[i] if self.row_labels else "",
                [
                    PlacedCell(cell, _joined(in_row[i], in_column[j]) if named else "", *pads[j][i])
                    for j, cell in enumerate(row)
                ],
            )
            for i, row in enumerate(self.rows)
        ]

    def label_of(self, placed: "PlacedCell") -> str:
        """Return the accessible name of an input."""
        name = self.name or self.caption
        return placed.cell.label or _joined(name, placed.place)


def describe_place(
    place: tuple[int, int],
    size: tuple[int, int],
    row_labels: Sequence[str],
    column_labels: Sequence[str],
) -> str:
    """Return a cell's row and column in words; a single row or column is not mentioned."""
    row = _line_names(_("row %(name)s"), row_labels, size[0])[place[0]]
    column = _line_names(_("column %(name)s"), column_labels, size[1])[place[1]]
    return _joined(row, column)


def _line_names(words: str, labels: Sequence[str], count: int) -> list[str]:
    """Return the names of rows or columns: their labels, or numbers if there are several."""
    if not labels:
        return [words % {"name": place + 1} for place in range(count)] if count > 1 else [""]
    return [words % {"name": label} if label.isdecimal() else label for label in labels]


def _joined(*names: str) -> str:
    return ", ".join(filter(None, names))


class PlacedCell(NamedTuple):
    """A cell in its column, with the invisible digits that keep the decimal points in line."""

    cell: Cell
    place: str
    """Its row and its column, in words."""
    lead: str
    trail: str


def _padding(column: Iterable[Cell]) -> list[tuple[str, str]]:
    """Return the invisible texts before and after each cell's text that align decimal points."""
    found = [None if cell.input else _NUMBER.fullmatch(cell.text) for cell in column]
    parts = [match.groups() if match else None for match in found]
    numbers = [part for part in parts if part]
    signed = any(sign for sign, _whole, _fraction in numbers)
    wholes = max((len(whole) for _sign, whole, _fraction in numbers), default=0)
    fractions = max((len(fraction) for _sign, _whole, fraction in numbers), default=0)

    def padding(sign: str, whole: str, fraction: str) -> tuple[str, str]:
        missing = fractions - len(fraction)
        # The decimal point is narrower than a figure, so the padding includes it if it is missing.
        point = decimal_sign() if missing and not fraction else ""
        lead = (MINUS if signed and not sign else "") + "0" * (wholes - len(whole))
        return lead, point + "0" * (missing - len(point))

    return [padding(*part) if part else ("", "") for part in parts]


def plain_number(value: float) -> str:
    """Return the shortest text that reads back as `value`, without an exponent.

    >>> plain_number(0.30), plain_number(2.0), plain_number(-1e-7), plain_number(-0.0)
    ('0.3', '2', '-0.0000001', '0')
    """
    if value == int(value):
        return str(int(value))
    text = repr(float(value))
    return format(Decimal(text), "f") if "e" in text else text


def format_number(value: float, decimals: int | None = None) -> str:
    """Return `value` as printed: a real minus sign, no minus zero, the language's decimal point.

    >>> format_number(-0.25), format_number(0.5, 3), format_number(-0.0001, 2)
    ('−0.25', '0.500', '0.00')
    """
    if math.isnan(value):
        return _("undefined")
    if math.isinf(value):
        return "∞" if value > 0 else f"{MINUS}∞"
    text = plain_number(value) if decimals is None else f"{value:.{decimals}f}"
    if text.startswith("-"):
        text = (MINUS if text.strip("-0.") else "") + text[1:]
    return text.replace(".", decimal_sign()) if "." in text else text


def decimal_sign() -> str:
    """Return the language's decimal point, which may be a comma."""
    return get_format("DECIMAL_SEPARATOR")


def heat_level(value: float, low: float = 0.0, high: float = 1.0) -> int:
    """Return the step of the heat scale, 0 to 9, that `value` falls on; clamped.

    >>> [heat_level(w) for w in (0, 0.09, 0.1, 0.5, 0.99, 1, 7)]
    [0, 0, 1, 5, 9, 9, 9]
    """
    if not low < high:
        raise ValueError(f"low must be below high, not {low} and {high}")
    if math.isnan(value):
        return 0
    share = min(max((value - low) / (high - low), 0.0), 1.0)
    return min(int(share * HEAT_STEPS), HEAT_STEPS - 1)


def number_matrix(
    values: Sequence,
    *,
    caption: str,
    rows: Sequence[str] = (),
    columns: Sequence[str] = (),
    decimals: int | None = None,
    heat: bool | tuple[float, float] = False,
    given: str = "",
) -> Matrix:
    """Return a matrix of plain numbers; a flat list is one row.

    `heat` is the range of the heat scale; True means 0 to 1. Infinities are printed and have no
    ``data-value``.
    """
    if hasattr(values, "tolist"):
        values = values.tolist()
    grid = values if values and isinstance(values[0], list | tuple) else [values]
    low, high = heat if isinstance(heat, tuple) else (0.0, 1.0)
    return Matrix(
        caption=caption,
        rows=tuple(
            tuple(
                Cell(
                    text=format_number(value, decimals),
                    value=value,
                    heat=heat_level(value, low, high) if heat else None,
                )
                for value in row
            )
            for row in grid
        ),
        row_labels=tuple(rows),
        column_labels=tuple(columns),
        given=given,
    )
