"""Tables as files for spreadsheets: row after row, so that none is ever in memory whole.

No cell is one that a spreadsheet would run: whoever is called =1+1 stays a text. Numbers are
numbers, with a decimal point.
"""

import csv
import re
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime
from tempfile import TemporaryFile
from typing import Any, BinaryIO

import xlsxwriter
from django.http import FileResponse, HttpResponseBase, StreamingHttpResponse

from foundation.downloads import disposition_of

FORMATS = {
    "csv": "text/csv; charset=utf-8",
    "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
}
# By it Excel knows that a text is UTF-8.
BYTE_ORDER_MARK = "\ufeff"
# More letters no cell of a spreadsheet holds.
LONGEST_TEXT = 32_767
# At the beginning of a text a spreadsheet takes these for that of a formula, in some languages the
# wide ones too; and where cells are parted by something else than commas, after whatever parts
# them. What is not seen before them does not help.
_FORMULA = re.compile(
    r"(\A|[;\t\r\n|])(?=[\s\u00ad\u200b-\u200f\u2060\ufeff]*[=+\-@\uff1d\uff0b\uff0d\uff20]|[\t\r])"
)
# What no XML, and so no spreadsheet, can hold.
_UNFIT = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")

type Value = str | float | int | datetime | None
type Row = Sequence[Value]


def harmless(text: str) -> str:
    """A text that no spreadsheet takes for a formula.

    >>> harmless("=1+1"), harmless("Ada; =1+1"), harmless("Ada-Marie")
    ("'=1+1", "Ada;' =1+1", 'Ada-Marie')
    """
    # A dash alone stands for nothing, in names of columns and in tables of others.
    return text if text == "-" else _FORMULA.sub(r"\1'", text)


class _Line:
    """A file of which the last line alone is kept."""

    def write(self, line: str) -> None:
        self.line = line


def csv_lines(rows: Iterable[Row], *, mark: bool = True) -> Iterator[str]:
    """The lines of a CSV file. Texts stand in quotation marks, numbers do not."""
    if mark:
        yield BYTE_ORDER_MARK
    last = _Line()
    writer = csv.writer(last, quoting=csv.QUOTE_STRINGS)
    for row in rows:
        writer.writerow([_plain(value) for value in row])
        yield last.line


def _plain(value: Value) -> str | float | int | None:
    if isinstance(value, str):
        return harmless(_UNFIT.sub("\ufffd", value)) or None
    return value.isoformat(sep=" ", timespec="minutes") if isinstance(value, datetime) else value


def write_xlsx(file: BinaryIO, rows: Iterable[Row], *, title: str, heads: int = 1) -> None:
    """Write a workbook of one sheet, whose first rows are heads and stay in sight.

    Each row is written out before the next one is asked for.
    """
    options = {"constant_memory": True, "default_date_format": "yyyy-mm-dd hh:mm"}
    with xlsxwriter.Workbook(file, options) as book:
        # It says when it was made; a file that is made again is to be the same.
        book.set_properties({"created": datetime(2000, 1, 1, tzinfo=UTC).replace(tzinfo=None)})
        bold = book.add_format({"bold": True})
        sheet = book.add_worksheet(_sheet_name(title))
        sheet.set_column(0, 0, 28)
        sheet.freeze_panes(heads, 1)
        for number, row in enumerate(rows):
            for column, value in enumerate(row):
                _write(sheet, number, column, value, bold if number < heads else None)


def _write(sheet: Any, row: int, column: int, value: Value, look: Any) -> None:
    if isinstance(value, str):
        # A text is written as one, whatever it begins with.
        sheet.write_string(row, column, _UNFIT.sub("\ufffd", value)[:LONGEST_TEXT], look)
    elif isinstance(value, datetime):
        sheet.write_datetime(row, column, value.replace(tzinfo=None))
    elif value is not None:
        sheet.write_number(row, column, value, look)


def _sheet_name(title: str) -> str:
    """What a sheet may be called."""
    return re.sub(r"[\[\]:*?/\\\x00-\x1f]", " ", title).strip(" '")[:31] or "1"


def download(
    rows: Iterable[Row], name: str, file_format: str, *, mark: bool = True, heads: int = 1
) -> HttpResponseBase:
    """A table as a file of one of the FORMATS, under this name."""
    if file_format == "csv":
        answer: HttpResponseBase = StreamingHttpResponse(csv_lines(rows, mark=mark))
    else:
        file = TemporaryFile()  # noqa: SIM115 - the answer closes it when it has been sent
        write_xlsx(file, rows, title=name, heads=heads)
        file.seek(0)
        answer = FileResponse(file)
    answer.headers["Content-Type"] = FORMATS[file_format]
    answer.headers["Content-Disposition"] = disposition_of(f"{name}.{file_format}")
    return answer
