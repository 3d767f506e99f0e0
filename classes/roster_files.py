"""Reader of files with lists of people: their bytes as rows of cells. Uses no database."""

import csv
import io
import re
from collections.abc import Iterator
from io import BytesIO
from zipfile import ZipFile

from django.utils.translation import gettext as _

from classes.errors import Unreadable
from classes.pasted import read_person
from foundation.names import tidy_name

MAX_LINES = 5_000
SEPARATORS = ",;\t|"
# The letters of Mac Roman where Windows-1252 has few letters, and its letters with accents.
_MAC = rb"[\x80-\x84\x86-\x90\x96-\x98\x9a-\x9f]"
_MAC_LETTERS = re.compile(rb"(?<=[A-Za-z])" + _MAC + rb"|" + _MAC + rb"(?=[a-z])")
_WINDOWS_LETTERS = re.compile(rb"(?<=[A-Za-z])[\xc0-\xff]|[\xc0-\xff](?=[a-z])")
# A workbook of that many lines unpacks to a fraction of this.
MAX_UNPACKED = 32 * 1024**2
MAX_COLUMNS, MAX_ROWS = 100, 100_000


def read_rows(content: bytes) -> Iterator[tuple[int, list[str]]]:
    """Yield the rows of a file that are not empty, with the number of the line each begins on.

    Raises:
        Unreadable: the file is no table, or too long.
    """
    if is_workbook(content):
        return iter(_workbook_rows(content))
    text = decode(content)
    count = text.count("\n") or text.count("\r")
    if count > MAX_LINES + 20:  # allow for lines above the column names, and empty ones
        raise too_long_error(count)
    return _rows(text)


def too_long_error(count: int) -> Unreadable:
    words = _("A list can have at most %(most)s lines. This one has %(count)s. Import it in parts.")
    return Unreadable(words % {"most": MAX_LINES, "count": count})


def is_workbook(content: bytes) -> bool:
    return content.startswith(b"PK\x03\x04")


def _workbook_rows(content: bytes) -> list[tuple[int, list[str]]]:
    """Return the rows of a workbook's first sheet that are not empty, with their numbers."""
    from openpyxl import load_workbook  # slow to import, and few processes ever need it

    rows: list[tuple[int, list[str]]] = []
    try:
        with ZipFile(BytesIO(content)) as packed:
            if sum(each.file_size for each in packed.infolist()) > MAX_UNPACKED:
                raise Unreadable(_("This spreadsheet is too large. Import it in parts."))
        # Read as it was calculated last: formulas are not evaluated.
        book = load_workbook(BytesIO(content), read_only=True, data_only=True, keep_links=False)
        sheet = book.worksheets[0].iter_rows(max_col=MAX_COLUMNS, values_only=True)
        for number, row in enumerate(sheet, start=1):
            cells = ["" if value is None else str(value) for value in row]
            if any(map(tidy_name, cells)):
                rows.append((number, cells))
            if len(rows) > MAX_LINES + 20 or number > MAX_ROWS:
                raise too_long_error(max(len(rows), number))
    except Unreadable:
        raise
    except Exception:  # openpyxl raises whatever a broken or malicious file leads to
        words = _("This spreadsheet can’t be read. Save it as CSV and import that file.")
        raise Unreadable(words) from None
    return rows


def old_encoding(content: bytes) -> str:
    """Return the encoding of a file that can only be guessed, or "" for any form of Unicode."""
    if is_workbook(content) or 0 in content:
        return ""
    try:
        content.decode("utf-8-sig")
    except UnicodeDecodeError:
        mac = len(_MAC_LETTERS.findall(content))
        return "mac_roman" if mac > len(_WINDOWS_LETTERS.findall(content)) else "cp1252"
    return ""


def decode(content: bytes) -> str:
    if content.startswith(b"\xd0\xcf\x11\xe0"):
        raise Unreadable(_("This is a spreadsheet. Save it as CSV and import that file."))
    try:
        if content.startswith((b"\xff\xfe", b"\xfe\xff")):
            text = content.decode("utf-16")
        elif zeros := content[:2000].count(0):
            # Without a byte order mark, the zero bytes of Latin letters reveal the byte order.
            big = content[:2000:2].count(0) * 2 > zeros
            text = content.decode("utf-16-be" if big else "utf-16-le")
        else:
            text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        # The five bytes that Windows-1252 lacks become replacement characters.
        encoding = old_encoding(content)
        text = content.decode(encoding, errors="replace") if encoding else ""
    if "\0" in text or not text.strip():
        raise Unreadable(
            _(
                "This isn’t a text file with a list of people. Save the list as CSV and "
                "import that file."
            )
        )
    return text


def _rows(text: str) -> Iterator[tuple[int, list[str]]]:
    """Yield the rows that are not empty, with the number of the line each begins on."""
    first, _newline, rest = text.partition("\n")
    named = re.fullmatch(r'"?sep=([,;\t|])"?\s*', first.strip("\r"), re.IGNORECASE)
    skipped = 1 if named else 0
    body = rest if named else text
    separator = named[1] if named else _separator(body)
    reader = csv.reader(io.StringIO(body, newline=""), delimiter=separator, strict=True)
    begins = 1
    try:
        for row in reader:
            if any(map(tidy_name, row)):
                yield begins + skipped, row
            begins = reader.line_num + 1
    except csv.Error:
        words = _(
            "Line %(number)s can’t be read: a quotation mark is missing or out of "
            "place. Correct it, then import the file again."
        )
        raise Unreadable(words % {"number": begins + skipped}) from None


def _separator(text: str) -> str:
    """Return the separator of the first line that is not empty.

    That is the one that leaves an address whole, since | may be part of it, or else the most
    frequent one.
    """
    first = next((line for line in text.splitlines() if line.strip()), "")
    plain = re.sub(r'"[^"]*"', "", first)
    return max(SEPARATORS, key=lambda sign: (_longest_address(first, sign), plain.count(sign)))


def _longest_address(line: str, separator: str) -> int:
    try:
        cells = next(csv.reader([line], delimiter=separator), [])
    except csv.Error:
        return 0
    return max((len(cell.strip()) for cell in cells if is_address(cell)), default=0)


def is_address(cell: str) -> bool:
    people = read_person(cell).people
    return len(people) == 1 and not people[0].name


def is_named_address(cell: str) -> bool:
    """Return whether this is a name with an address between < and >."""
    return cell.rstrip().endswith(">") and len(read_person(cell).people) == 1
