"""Lists of people, read out of what learning platforms and spreadsheets write, or pasted text.

Knows no database. Nothing in a cell is ever computed: a formula is no address, and in a name it is
text.
"""

import csv
import io
import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any

from django.core.exceptions import ValidationError
from django.core.validators import validate_email
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from classes.errors import Unreadable
from classes.limits import LONGEST_LABEL, LONGEST_NAME, LONGEST_SECTION, MOST_LABELS

MOST_LINES = 5_000
LONGEST_ADDRESS = 254
SEPARATORS = ",;\t|"

# What columns are called, without case, spaces and signs. Canvas: Student, ID, SIS User ID, SIS
# Login ID, Section. Moodle: First name, Surname or Last name, Email address, Groups; and so in the
# languages that its sites most often run in.
ADDRESS = (
    *("email", "emailaddress", "mail", "mailaddress", "studentemail", "primaryemail"),
    *("emailadresse", "mailadresse", "adressedecourriel", "courriel", "adresseemail"),
    *("correo", "correoelectronico", "direcciondecorreo", "direccióndecorreo", "correoelectrónico"),
    *("indirizzoemail", "emailadres", "enderecodeemail", "endereçodeemail"),
)
LOGIN = (
    "sisloginid",
    "loginid",
    "login",
    "username",
    "userid",
    "netid",
    "anmeldename",
    "sisuserid",
)
FIRST = (
    "firstname",
    "givenname",
    "givennames",
    "forename",
    "vorname",
    "prénom",
    "prenom",
    "nombre",
)
LAST = (
    *("lastname", "surname", "familyname", "nachname", "nomdefamille", "nom"),
    *("apellidos", "apellido", "cognome", "achternaam"),
)
NAME = ("name", "fullname", "student", "studentname", "displayname", "preferredname")
SECTION = (
    *("section", "sections", "group", "groups", "tutorial", "lab"),
    *("gruppe", "gruppen", "groupe", "groupes", "grupo", "grupos"),
)
LABELS = ("label", "labels", "tag", "tags", "accommodation", "accommodations")
COLUMNS = {
    "address": ADDRESS,
    "login": LOGIN,
    "first": FIRST,
    "last": LAST,
    "name": NAME,
    "section": SECTION,
    "labels": LABELS,
}
_FORMULA = re.compile(r"^[=+@\t\r-]")
_QUOTED = re.compile(r'^="([^"]*)"$')  # how spreadsheets are told that digits are text
_ADDRESS = re.compile(r"[^\s<>,;|\"'()\[\]]+@[^\s<>,;|\"'()\[\]]+")
_PASTED = re.compile(r"[\n,;]")

# Why a line brings nobody. Kept with the line, and told in the reader's language.
NO_ADDRESS = gettext_noop("No email address.")
LOG_IN_NAME = gettext_noop("This is a login name. Enter the email domain to complete it.")
BAD_ADDRESS = gettext_noop("This is not an email address.")
FORMULA = gettext_noop("This is a formula, not an email address.")
NO_PERSON = gettext_noop("This line belongs to the platform, not to a person.")
TWICE = gettext_noop("This address already appears higher up.")
LONG_SECTION = gettext_noop("The section name is too long.")
LONG_LABEL = gettext_noop("A label is too long, or there are too many.")


@dataclass(frozen=True)
class Line:
    """What one line says of one person; `problem` says why it brings nobody."""

    number: int
    address: str
    name: str = ""
    section: str = ""
    labels: tuple[str, ...] = ()
    problem: str = ""
    sorts_as: str = ""  # "Last, First", where the list says which part is the family name

    def stored(self) -> dict[str, Any]:
        return vars(self)

    @classmethod
    def restored(cls, stored: Mapping[str, Any]) -> "Line":
        return cls(**{**stored, "labels": tuple(stored["labels"])})


def read_file(content: bytes, *, domain: str = "") -> list[Line]:
    """The lines of a file, whatever wrote it.

    Args:
        domain: what follows the @ where a list has login names in the place of addresses.

    Raises:
        Unreadable: it is no such list, or too long a one.
    """
    text = _decoded(content)
    count = text.count("\n") or text.count("\r")
    if count > MOST_LINES + 20:  # what stands above the heads, and empty lines
        raise _too_long(count)
    return _lines(list(_rows(text)), domain)


def read_pasted(text: str) -> list[Line]:
    """Addresses as they are pasted: one a line or several, with names or without."""
    pieces = [piece for piece in _PASTED.split(text.replace("\r", "\n")) if piece.strip()]
    if len(pieces) > MOST_LINES:
        raise _too_long(len(pieces))
    lines = []
    for number, piece in enumerate(pieces, start=1):
        found = _ADDRESS.search(piece)
        name = piece[: found.start()] if found else ""
        address = found[0] if found else piece
        lines.append(_line(number, {"address": address, "name": name.strip(" \t<\"'(")}, ""))
    return list(_without_doubles(lines))


def tidy(text: str) -> str:
    """Without signs that cannot be seen, and with single spaces."""
    seen = "".join(" " if unicodedata.category(sign)[0] in "CZ" else sign for sign in text)
    return " ".join(seen.split())


def split_labels(text: str) -> tuple[str, ...]:
    """The labels in a text, each once, whatever its case."""
    each = {tidy(piece).casefold(): tidy(piece) for piece in re.split(r"[,;|\n]", text)}
    return tuple(label for key, label in sorted(each.items()) if key)


def _too_long(count: int) -> Unreadable:
    words = _("A list can have at most %(most)s lines. This one has %(count)s. Import it in parts.")
    return Unreadable(words % {"most": MOST_LINES, "count": count})


def _decoded(content: bytes) -> str:
    if content.startswith((b"PK\x03\x04", b"\xd0\xcf\x11\xe0")):
        raise Unreadable(_("This is a spreadsheet. Save it as CSV and import that file."))
    try:
        if content.startswith((b"\xff\xfe", b"\xfe\xff")):
            text = content.decode("utf-16")
        elif zeros := content[:2000].count(0):
            # Without a mark, every second byte of Latin letters says which way round it is.
            big = content[:2000:2].count(0) * 2 > zeros
            text = content.decode("utf-16-be" if big else "utf-16-le")
        else:
            text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        # The five bytes that Windows-1252 does not know become a question mark.
        text = "" if 0 in content else content.decode("cp1252", errors="replace")
    if "\0" in text or not text.strip():
        raise Unreadable(_("This is not a text file with a list of people."))
    return text


def _rows(text: str) -> Iterator[tuple[int, list[str]]]:
    """The rows that say anything, with the line that each begins on."""
    first, _newline, rest = text.partition("\n")
    named = re.fullmatch(r'"?sep=([,;\t|])"?\s*', first.strip("\r"), re.IGNORECASE)
    skipped = 1 if named else 0
    body = rest if named else text
    separator = named[1] if named else _separator(body)
    reader = csv.reader(io.StringIO(body, newline=""), delimiter=separator, strict=True)
    begins = 1
    try:
        for row in reader:
            cells = [tidy(cell) for cell in row]
            if any(cells):
                yield begins + skipped, cells
            begins = reader.line_num + 1
    except csv.Error:
        words = _("Line %(number)s cannot be read: a quotation mark is missing or out of place.")
        raise Unreadable(words % {"number": begins + skipped}) from None


def _separator(text: str) -> str:
    """The sign that stands most often in the first line that says anything."""
    first = next((line for line in text.splitlines() if line.strip()), "")
    plain = re.sub(r'"[^"]*"', "", first)
    return max(SEPARATORS, key=plain.count)


def _lines(rows: Sequence[tuple[int, list[str]]], domain: str) -> list[Line]:
    begins, columns = _heads(rows)
    rows = rows[begins:]
    if len(rows) > MOST_LINES:
        raise _too_long(len(rows))
    read = [
        _line(number, {key: _cell(cells, place) for key, place in columns.items()}, domain)
        for number, cells in rows
    ]
    if not read:
        raise Unreadable(_("There is nobody in this list."))
    return list(_without_doubles(read))


def _heads(rows: Sequence[tuple[int, list[str]]]) -> tuple[int, dict[str, int]]:
    """Where the people begin, and in which column each thing stands."""
    for index, (_number, cells) in enumerate(rows[:10]):
        columns = _columns(cells)
        if "address" in columns or "login" in columns:
            return index + 1, columns
        for place, cell in enumerate(cells):
            if _ADDRESS.fullmatch(cell) and not _FORMULA.match(cell):
                names = [other for other in range(len(cells)) if other != place]
                return index, {"address": place} | ({"name": names[0]} if names else {})
    raise Unreadable(
        _("There is no column called “Email” in this list. The first line must name the columns.")
    )


def _columns(cells: Iterable[str]) -> dict[str, int]:
    heads = ["".join(filter(str.isalnum, cell.casefold())) for cell in cells]
    found = {}
    for key, known in COLUMNS.items():
        # In the order of the known ones: “Login ID” is asked before “SIS User ID”.
        places = [heads.index(head) for head in known if head in heads]
        if places:
            found[key] = places[0]
    return found


def _cell(cells: Sequence[str], place: int) -> str:
    text = cells[place] if place < len(cells) else ""
    quoted = _QUOTED.match(text)
    return quoted[1].strip() if quoted else text


def _line(number: int, cells: Mapping[str, str], domain: str) -> Line:
    address, problem = _address(cells, domain)
    first, last = cells.get("first", ""), cells.get("last", "")
    name = cells.get("name") or f"{first} {last}"
    sorts_as = tidy(name) if _turned(tidy(name)) != tidy(name) else ""
    if first and last and not cells.get("name"):
        sorts_as = f"{last}, {first}"
    labels = split_labels(cells.get("labels", ""))
    section = cells.get("section", "")
    if not problem and len(section) > LONGEST_SECTION:
        problem = LONG_SECTION
    if not problem and (
        len(labels) > MOST_LABELS or any(len(each) > LONGEST_LABEL for each in labels)
    ):
        problem = LONG_LABEL
    return Line(
        number=number,
        address=address,
        name=_turned(tidy(name))[:LONGEST_NAME],
        section=section[:LONGEST_SECTION],
        labels=tuple(label[:LONGEST_LABEL] for label in labels[:MOST_LABELS]),
        problem=problem,
        sorts_as=sorts_as[:LONGEST_NAME],
    )


def _turned(name: str) -> str:
    """“Muster, Maria”, as Canvas has it, is Maria Muster."""
    last, comma, first = name.partition(", ")
    is_turned = comma and first and ", " not in first and not _FORMULA.match(name)
    return f"{first} {last}" if is_turned else name


def _address(cells: Mapping[str, str], domain: str) -> tuple[str, str]:
    """The address of a line, and what is wrong with it."""
    typed = cells.get("address", "")
    if not typed:
        typed = cells.get("login", "")
        if typed and "@" not in typed and domain and not _FORMULA.match(typed):
            typed = f"{typed}@{domain}"
    address = unicodedata.normalize("NFKC", typed).strip("<>").lower().removeprefix("mailto:")
    short = address[:LONGEST_ADDRESS]
    if _of_the_platform(cells):
        return short, NO_PERSON
    if not address:
        return "", NO_ADDRESS
    if _FORMULA.match(address):
        return short, FORMULA
    try:
        if len(address) > LONGEST_ADDRESS:
            return short, BAD_ADDRESS
        validate_email(address)
    except ValidationError:
        by_name = "@" not in address and not cells.get("address")
        return short, LOG_IN_NAME if by_name else BAD_ADDRESS
    return address, ""


def _of_the_platform(cells: Mapping[str, str]) -> bool:
    """Is it one of the two lines of a Canvas gradebook that are no student's?"""
    name = cells.get("name", "").casefold()
    return name.startswith("points possible") or name in ("student, test", "test student")


def _without_doubles(lines: Iterable[Line]) -> Iterator[Line]:
    seen: set[str] = set()
    for line in lines:
        if line.problem:
            yield line
        elif line.address in seen:
            yield replace(line, problem=TWICE)
        else:
            seen.add(line.address)
            yield line


class Outcome(StrEnum):
    """What becomes of a line."""

    ADDED = "added"
    INVITED = "invited"
    BACK = "back"
    CHANGED = "changed"
    THERE = "there"
    REFUSED = "refused"
