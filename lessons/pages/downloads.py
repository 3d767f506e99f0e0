"""Downloads of a widget's numbers: as CSV, and as a spreadsheet that goes on calculating."""

import csv
import io
from collections.abc import Iterator

import numpy as np
import xlsxwriter
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext as _
from xlsxwriter.utility import xl_range_abs

from design.matrix import plain_number
from foundation.spreadsheets import FORMATS, escape_formula
from lessons import widgets
from lessons.markdown.parsing import fences_in
from lessons.models import Section
from lessons.widget_data import Block

# A downloadable widget marks with this the place for its links.
DOWNLOADS_MARK = '<template data-downloads=""></template>'

_ACCENT, _INPUT, _PALE, _DEEP = "#5B34B5", "#EFEAFB", "#FBF8F2", "#D9622B"


def with_downloads(html: SafeString, lesson: str, section: str) -> SafeString:
    """Return the section's HTML with download links for each widget that has numbers."""
    first, *others = html.split(DOWNLOADS_MARK)
    pieces = [first]
    for number, piece in enumerate(others, start=1):
        urls = {
            file_format: reverse("lessons:numbers", args=[lesson, section, number, file_format])
            for file_format in FORMATS
        }
        pieces += [render_to_string("lessons/_downloads.html", urls), piece]
    return mark_safe("".join(pieces))


def downloadable_blocks(section: Section, number: int) -> list[Block] | None:
    """Return the numbers of the section's downloadable widget of this number, counted from 1.

    Return None if there is no such widget.

    Raises:
        ContentError: its parameters are wrong.
    """
    found = [
        (widgets.widget(name), text)
        for name, text in fences_in(section.body)
        if name in widgets.names() and widgets.widget(name).sheet is not None
    ]
    if not 1 <= number <= len(found):
        return None
    widget, text = found[number - 1]
    return widget.blocks(text)


def write_blocks(blocks: list[Block], file_format: str) -> bytes:
    """Return the blocks as a file of one of the FORMATS."""
    return _csv(blocks) if file_format == "csv" else _xlsx(blocks)


def _csv(blocks: list[Block]) -> bytes:
    text = io.StringIO()
    writer = csv.writer(text)
    for block in blocks:
        writer.writerow([escape_formula(block.title)])
        if block.columns:
            writer.writerow(
                ([""] if block.rows else []) + [escape_formula(each) for each in block.columns]
            )
        for label, row in _lines(block):
            writer.writerow(label + [plain_number(value) for value in row])
        writer.writerow([])
    return text.getvalue().encode("utf-8-sig")  # the mark tells Excel the encoding


def _lines(block: Block) -> Iterator[tuple[list[str], list[float]]]:
    for i, row in enumerate(np.asarray(block.values, dtype=float).tolist()):
        yield ([escape_formula(block.rows[i])] if block.rows else []), row


def _xlsx(blocks: list[Block]) -> bytes:
    file = io.BytesIO()
    with xlsxwriter.Workbook(file, {"in_memory": True}) as book:
        _Writer(book).write(blocks)
    return file.getvalue()


class _Writer:
    """A writer of blocks one below the other: labels in column A, numbers from column B."""

    def __init__(self, book: xlsxwriter.Workbook):
        self.sheet = book.add_worksheet(_("Steps"))
        self.sheet.set_column(0, 0, 14)
        self.sheet.set_column(1, 30, 10)
        self.title = book.add_format({"bold": True, "font_color": _ACCENT})
        self.label = book.add_format({"align": "right"})
        self.typed = book.add_format({"bg_color": _INPUT, "border": 1, "border_color": _ACCENT})
        self.computed = book.add_format({"num_format": "0.000"})
        self.places: dict[str, tuple[int, int, int]] = {}

    def write(self, blocks: list[Block]) -> None:
        self.sheet.write_string(0, 0, _("Change a coloured cell and watch the other cells update."))
        row = 2
        for block in blocks:
            row = self._block(row, block) + 1

    def _block(self, row: int, block: Block) -> int:
        values = np.asarray(block.values, dtype=float).tolist()
        self.sheet.write_string(row, 0, escape_formula(block.title), self.title)
        row += 1
        if block.columns:
            for j, label in enumerate(block.columns, start=1):
                self.sheet.write_string(row, j, escape_formula(label), self.label)
            row += 1
        self.places[block.name] = (row, len(values), len(values[0]))
        for i, label in enumerate(block.rows):
            self.sheet.write_string(row + i, 0, escape_formula(label), self.label)
        if block.formula:
            self._formulas(row, block, values)
        else:
            for i, numbers in enumerate(values):
                self.sheet.write_row(row + i, 1, numbers, self.typed)
        if block.heat:
            last = row + len(values) - 1, len(values[0])
            scale = {"type": "2_color_scale", "min_type": "num", "max_type": "num"}
            scale |= {"min_value": 0, "max_value": 1, "min_color": _PALE, "max_color": _DEEP}
            self.sheet.conditional_format(row, 1, *last, scale)
        return row + len(values)

    def _formulas(self, row: int, block: Block, values: list[list[float]]) -> None:
        """Write the formulas, with their results for programs that do not calculate."""
        last = row + len(values) - 1
        lines = range(len(values)) if block.row_by_row else [None]
        for line in lines:
            top, bottom = (row, last) if line is None else (row + line, row + line)
            self.sheet.write_array_formula(
                *(top, 1, bottom, len(values[0])),
                self._formula(block.formula, line),
                self.computed,
                values[top - row][0],
            )
        if not block.row_by_row:
            for i, numbers in enumerate(values):
                for j, number in enumerate(numbers):
                    if i or j:  # the first cell holds the formula
                        self.sheet.write_number(row + i, 1 + j, number, self.computed)

    def _formula(self, text: str, line: int | None = None) -> str:
        """Return the formula with the cell ranges of the blocks it names, or of one line."""
        ranges = {}
        for name, (first, height, width) in self.places.items():
            if line is None or height == 1:
                ranges[name] = xl_range_abs(first, 1, first + height - 1, width)
            else:
                ranges[name] = xl_range_abs(first + line, 1, first + line, width)
        return "{=" + text.format(**ranges) + "}"
