"""Tables as spreadsheet files, written row by row, so that none is ever in memory as a whole.

No cell is a formula: a person named =1+1 stays a text. Numbers are numbers, with a decimal point.
"""

import csv
import re
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime
from tempfile import TemporaryFile
from typing import Any, BinaryIO

import xlsxwriter
from django.http import FileResponse, HttpResponseBase, StreamingHttpResponse

from foundation.downloads import content_disposition

FORMATS = {
    "csv": "text/csv; charset=utf-8",
    "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
}
# It tells Excel that a text is UTF-8.
BYTE_ORDER_MARK = "\ufeff"
# A spreadsheet's cell holds no more characters.
MAX_TEXT_LENGTH = 32_767
# At the beginning of a text these start a formula, in some languages the full-width ones too; and
# where something other than commas separates cells, after that separator. Invisible characters
# before them change nothing.
_FORMULA = re.compile(
    r"(\A|[;\t\r\n|])(?=[\s\u00ad\u200b-\u200f\u2060\ufeff]*[=+\-@\uff1d\uff0b\uff0d\uff20]|[\t\r])"
)
# Characters that XML, and so a spreadsheet, cannot hold.
_UNFIT = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")

type Value = str | float | int | datetime | None
type Row = Sequence[Value]


def escape_formula(text: str) -> str:
    """Return a text that no spreadsheet takes for a formula.

    >>> escape_formula("=1+1"), escape_formula("Ada; =1+1"), escape_formula("Ada-Marie")
    ("'=1+1", "Ada;' =1+1", 'Ada-Marie')
    """
    # A dash alone means “none”, in column names and in other people's tables.
    return text if text == "-" else _FORMULA.sub(r"\1'", text)


class _Line:
    """A file that keeps only the last line written."""

    def write(self, line: str) -> None:
        self.line = line


def csv_lines(rows: Iterable[Row], *, mark: bool = True) -> Iterator[str]:
    """Yield the lines of a CSV file. Texts are quoted, numbers are not."""
    if mark:
        yield BYTE_ORDER_MARK
    last = _Line()
    writer = csv.writer(last, quoting=csv.QUOTE_STRINGS)
    for row in rows:
        writer.writerow([_plain(value) for value in row])
        yield last.line


def _plain(value: Value) -> str | float | int | None:
    if isinstance(value, str):
        return escape_formula(_UNFIT.sub("\ufffd", value)) or None
    return value.isoformat(sep=" ", timespec="minutes") if isinstance(value, datetime) else value


def write_xlsx(file: BinaryIO, rows: Iterable[Row], *, title: str, heads: int = 1) -> None:
    """Write a workbook with one sheet. Its first `heads` rows are headings and stay in sight.

    Each row is written out before the next one is read.
    """
    options = {"constant_memory": True, "default_date_format": "yyyy-mm-dd hh:mm"}
    with xlsxwriter.Workbook(file, options) as book:
        # A fixed date, so that writing the same table again gives the same file.
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
        # Written as a text, whatever it begins with.
        sheet.write_string(row, column, _UNFIT.sub("\ufffd", value)[:MAX_TEXT_LENGTH], look)
    elif isinstance(value, datetime):
        sheet.write_datetime(row, column, value.replace(tzinfo=None))
    elif value is not None:
        sheet.write_number(row, column, value, look)


def _sheet_name(title: str) -> str:
    """Return the title as a valid name of a sheet."""
    return re.sub(r"[\[\]:*?/\\\x00-\x1f]", " ", title).strip(" '")[:31] or "1"


def spreadsheet_response(
    rows: Iterable[Row], name: str, file_format: str, *, mark: bool = True, heads: int = 1
) -> HttpResponseBase:
    """Return a response with a table as a file of one of the FORMATS."""
    if file_format == "csv":
        answer: HttpResponseBase = StreamingHttpResponse(csv_lines(rows, mark=mark))
    else:
        file = TemporaryFile()  # noqa: SIM115 - the answer closes it when it has been sent
        write_xlsx(file, rows, title=name, heads=heads)
        file.seek(0)
        answer = FileResponse(file)
    answer.headers["Content-Type"] = FORMATS[file_format]
    answer.headers["Content-Disposition"] = content_disposition(f"{name}.{file_format}")
    return answer
