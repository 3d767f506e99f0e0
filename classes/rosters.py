"""Parser of lists of people from files of learning platforms or spreadsheets, or pasted text.

Uses no database. Formulas are never evaluated: one is no address, and in a name it is text.
"""

import re
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from classes.errors import Unreadable
from classes.limits import MAX_LABEL_LENGTH, MAX_LABELS, MAX_NAME_LENGTH, MAX_SECTION_LENGTH
from classes.pasted import Person, Piece, read_person, read_pieces
from classes.roster_files import MAX_LINES, is_address, is_named_address, read_rows, too_long_error
from foundation.mail_addresses import MAX_LENGTH
from foundation.names import tidy_name

# Names of columns, in lower case without spaces and signs. Canvas: Student, ID, SIS User ID, SIS
# Login ID, Section. Moodle: First name, Surname or Last name, Email address, Groups; also in the
# most frequent languages of its sites.
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
NAME = ("name", "fullname", "studentname", "displayname", "preferredname")
CANVAS_NAME = ("student",)
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
    "canvas_name": CANVAS_NAME,
    "section": SECTION,
    "labels": LABELS,
}
# The columns of a Canvas gradebook that it finds a student by, given back in files for Canvas.
PLATFORM = ("ID", "SIS User ID", "SIS Login ID", "Section")
MAX_PLATFORM_LENGTH = 400
_BETWEEN_SECTIONS = re.compile(r",\s+and\s+|[,;]\s*|\s+and\s+")
_FORMULA = re.compile(r"^[=+@\t\r-]")
_QUOTED = re.compile(r'^="([^"]*)"$')  # marks digits as text for spreadsheets
# Words after a comma that are no first names.
_SUFFIXES = frozenset(
    ("jr", "sr", "ii", "iii", "iv", "v", "phd", "md", "dphil", "edd", "jd", "mba", "ma", "msc")
)

# Problems because of which a line adds nobody: stored with the line, translated when shown.
NO_ADDRESS = gettext_noop("No email address.")
LOG_IN_NAME = gettext_noop("This is a login name. Enter the email domain to complete it.")
BAD_ADDRESS = gettext_noop("This isn’t an email address.")
FORMULA = gettext_noop("This is a formula, not an email address.")
NO_PERSON = gettext_noop("Canvas or Moodle added this line. It isn’t a person.")
TWICE = gettext_noop("This address already appears higher up.")
SEVERAL = gettext_noop("There are several addresses here. Put each on a line of its own.")
ABOVE_HEADS = gettext_noop("This line is above the column names.")
LONG_NAME = gettext_noop("The name is too long.")
LONG_SECTION = gettext_noop("The section name is too long.")
LONG_LABEL = gettext_noop("A label is too long, or there are too many.")


@dataclass(frozen=True)
class Line:
    """A line about one person; `problem` is the reason why it adds nobody, or empty.

    address: the address or, on a line that adds nobody, the text in its place.
    unread: the rest of the line, which is not imported.
    section: the text of the list; `split_sections` tells the sections in it.
    """

    number: int
    address: str
    name: str = ""
    section: str = ""
    labels: tuple[str, ...] = ()
    problem: str = ""
    sorts_as: str = ""  # "Last, First", where the list says which part is the family name
    unread: str = ""
    in_several: bool = False  # whether the section may be the names of several
    platform: Mapping[str, str] = field(default_factory=dict)  # what Canvas calls the person

    @classmethod
    def restored(cls, stored: Mapping[str, Any]) -> "Line":
        """Return a line from its `vars` as stored in JSON."""
        return cls(**{**stored, "labels": tuple(stored["labels"])})


def read_file(content: bytes, *, domain: str = "") -> list[Line]:
    """Return the lines of a file.

    Args:
        domain: the part after the @, for lists with login names instead of addresses.

    Raises:
        Unreadable: the file is no list of people, or too long.
    """
    return _lines(list(read_rows(content)), domain)


def read_pasted(text: str) -> list[Line]:
    """Return the lines of pasted addresses, one or several a line, with or without names."""
    found = [(piece, each) for piece in read_pieces(text) for each in piece.people or [None]]
    if len(found) > MAX_LINES:
        raise too_long_error(len(found))
    lines = [_pasted_line(number, *each) for number, each in enumerate(found, start=1)]
    return list(_mark_duplicates(lines))


def _pasted_line(number: int, piece: Piece, person: Person | None) -> Line:
    if person is None:
        return Line(number, _shorten(piece.text), problem=_why_unread(piece))
    problem = LONG_NAME if len(person.name) > MAX_NAME_LENGTH else ""
    return Line(number, person.address, person.name[:MAX_NAME_LENGTH], problem=problem)


def _why_unread(piece: Piece) -> str:
    return SEVERAL if piece.has_several else BAD_ADDRESS


def _shorten(text: str) -> str:
    text = tidy_name(text)
    return text if len(text) <= MAX_LENGTH else text[: MAX_LENGTH - 1] + "…"


def split_labels(text: str) -> tuple[str, ...]:
    """Return the labels in a text, sorted, each once regardless of case."""
    pieces = map(tidy_name, re.split(r"[,;|\n]", text))
    each = {piece.casefold(): piece for piece in pieces}
    return tuple(label for key, label in sorted(each.items()) if key)


def split_sections(text: str, known: Container[str]) -> tuple[str, ...]:
    """Return the sections in a text as learning platforms join them, each once.

    A name with a joiner in it stays whole if it is among the known ones, which are casefolded.

    >>> split_sections("NLP-01 (Mon), NLP-02 (Tue), and Lab", set())
    ('NLP-01 (Mon)', 'NLP-02 (Tue)', 'Lab')
    >>> split_sections("Drum and Bass and Lab", {"drum and bass"})
    ('Drum and Bass', 'Lab')
    """
    found: dict[str, str] = {}
    while text := tidy_name(text):
        joiners = list(_BETWEEN_SECTIONS.finditer(text))
        ends = [(len(text), len(text)), *((each.start(), each.end()) for each in reversed(joiners))]
        named = (each for each in ends if text[: each[0]].casefold() in known)
        end, begins = next(named, ends[-1])
        if name := text[:end].strip():
            found.setdefault(name.casefold(), name)
        text = text[begins:]
    return tuple(found.values())


def _lines(rows: Sequence[tuple[int, list[str]]], domain: str) -> list[Line]:
    columns = _columns_in(rows)
    above, rows = rows[: columns.above], rows[columns.begins :]
    if len(rows) > MAX_LINES:
        raise too_long_error(len(rows))
    if not rows:
        raise Unreadable(_("There’s nobody on this list."))
    read = [Line(number, _join_cells(cells), problem=ABOVE_HEADS) for number, cells in above]
    read += [_row_line(number, cells, columns, domain) for number, cells in rows]
    return list(_mark_duplicates(read))


@dataclass(frozen=True)
class Columns:
    """The columns of a list.

    places: the index of each column, by the keys of COLUMNS.
    heads: the index of the row with the column names; None if there is none.
    width: the number of named columns. Cells beyond are not imported, but listed.
    platform: the index of each column that Canvas finds a student by, by its name.
    """

    places: Mapping[str, int]
    heads: int | None = None
    width: int = 0
    platform: Mapping[str, int] = field(default_factory=dict)

    @property
    def above(self) -> int:
        return self.heads or 0

    @property
    def begins(self) -> int:
        return 0 if self.heads is None else self.heads + 1


def _columns_in(rows: Sequence[tuple[int, list[str]]]) -> Columns:
    first = [cells for _number, cells in rows[:10]]
    for index, cells in enumerate(first):
        named = _named_columns(cells)
        if "address" in named or "login" in named:
            platform = _platform_columns(cells) if "canvas_name" in named else {}
            return Columns(named, index, len(cells), platform)
        if any(map(is_address, cells)):
            return _unnamed_columns(cells, is_address)
    for cells in first:
        if any(map(is_named_address, cells)):
            return _unnamed_columns(cells, is_named_address)
    raise Unreadable(
        _("There’s no column called “Email” in this list. The first line must name the columns.")
    )


def _named_columns(cells: Iterable[str]) -> dict[str, int]:
    heads = ["".join(filter(str.isalnum, cell.casefold())) for cell in cells]
    found = {}
    for key, known in COLUMNS.items():
        # In the order of the known names, so that “Login ID” is preferred to “SIS User ID”.
        places = [heads.index(head) for head in known if head in heads]
        if places:
            found[key] = places[0]
    return found


def _platform_columns(cells: Sequence[str]) -> dict[str, int]:
    heads = [tidy_name(cell).casefold() for cell in cells]
    return {name: heads.index(name.casefold()) for name in PLATFORM if name.casefold() in heads}


def _unnamed_columns(cells: Sequence[str], is_it: Callable[[str], bool]) -> Columns:
    """Return the column of the address, with the first other column for the name."""
    place = next(place for place, cell in enumerate(cells) if is_it(cell))
    others = [other for other in range(len(cells)) if other != place]
    return Columns({"address": place} | ({"name": others[0]} if others else {}))


def _cell(cells: Sequence[str], place: int) -> str:
    text = cells[place] if place < len(cells) else ""
    quoted = _QUOTED.match(text.strip())
    return quoted[1] if quoted else text


def _join_cells(cells: Iterable[str]) -> str:
    return _shorten(", ".join(cell for cell in map(tidy_name, cells) if cell))


def _row_line(number: int, cells: Sequence[str], columns: Columns, domain: str) -> Line:
    others = {
        place: cell
        for place, cell in enumerate(cells)
        if place >= columns.width and place not in columns.places.values()
    }
    if columns.heads is None and sum(map(is_address, cells)) > 1:
        return Line(number, _join_cells(cells), problem=SEVERAL)
    taken = {key: _cell(cells, place) for key, place in columns.places.items()}
    platform = {name: tidy_name(_cell(cells, place)) for name, place in columns.platform.items()}
    return replace(
        _line(number, taken, domain),
        unread=_join_cells(others.values()),
        in_several=True,
        platform={name: text[:MAX_PLATFORM_LENGTH] for name, text in platform.items() if text},
    )


def _line(number: int, cells: Mapping[str, str], domain: str) -> Line:
    person, problem = _person(cells, domain)
    name, sorts_as = _name(cells)
    name = name or person.name
    labels = split_labels(cells.get("labels", ""))
    section = tidy_name(cells.get("section", ""))
    if not problem and len(name) > MAX_NAME_LENGTH:
        problem = LONG_NAME
    sections = split_sections(section, ())
    if not problem and (
        any(len(each) > MAX_SECTION_LENGTH for each in sections) or len(sections) > MAX_LABELS
    ):
        problem = LONG_SECTION
    if not problem and (
        len(labels) > MAX_LABELS or any(len(each) > MAX_LABEL_LENGTH for each in labels)
    ):
        problem = LONG_LABEL
    return Line(
        number=number,
        address=person.address,
        name=name[:MAX_NAME_LENGTH],
        section=section[:MAX_PLATFORM_LENGTH],
        labels=tuple(label[:MAX_LABEL_LENGTH] for label in labels[:MAX_LABELS]),
        problem=problem,
        sorts_as=sorts_as[:MAX_NAME_LENGTH],
    )


def _name(cells: Mapping[str, str]) -> tuple[str, str]:
    """Return the name, and how it sorts where the list marks the family name."""
    if name := tidy_name(cells.get("name", "")):
        return name, ""
    if name := tidy_name(cells.get("canvas_name", "")):
        last, comma, first = name.partition(", ")
        is_suffix = first.casefold().replace(".", "") in _SUFFIXES
        if comma and first and ", " not in first and not is_suffix and not _FORMULA.match(name):
            return f"{first} {last}", name
        return name, ""
    first, last = tidy_name(cells.get("first", "")), tidy_name(cells.get("last", ""))
    return f"{first} {last}".strip(), f"{last}, {first}" if first and last else ""


def _person(cells: Mapping[str, str], domain: str) -> tuple[Person, str]:
    """Return the person of a line, and the problem with the address, if any."""
    typed = cells.get("address", "").strip()
    if not typed:
        typed = cells.get("login", "").strip()
        if typed and "@" not in typed and domain and not _FORMULA.match(typed):
            typed = f"{typed}@{domain}"
    if _is_platform_line(cells):
        return Person(_shorten(typed)), NO_PERSON
    piece = read_person(typed)
    if piece.people and (not piece.people[0].name or is_named_address(typed)):
        return piece.people[0], ""
    if not tidy_name(typed):
        return Person(""), NO_ADDRESS
    if _FORMULA.match(typed):
        return Person(_shorten(typed)), FORMULA
    if "@" not in typed and not cells.get("address"):
        return Person(_shorten(typed)), LOG_IN_NAME
    return Person(_shorten(typed)), _why_unread(piece)


def _is_platform_line(cells: Mapping[str, str]) -> bool:
    """Return whether this is one of the two lines of a Canvas gradebook without a student."""
    name = tidy_name(cells.get("name") or cells.get("canvas_name", "")).casefold()
    return name.startswith("points possible") or name in ("student, test", "test student")


def _mark_duplicates(lines: Iterable[Line]) -> Iterator[Line]:
    seen: set[str] = set()
    for line in lines:
        if line.problem:
            yield line
        elif line.address in seen:
            yield replace(line, problem=TWICE)
        else:
            seen.add(line.address)
            yield line


class ImportAction(StrEnum):
    """The effect of a roster's line on the class."""

    ADDED = "added"
    INVITED = "invited"
    BACK = "back"
    CHANGED = "changed"
    THERE = "there"
    REFUSED = "refused"
