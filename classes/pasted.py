"""People in pasted text: addresses, one or several, with names or without.

Whatever is typed belongs to a person or to a piece that is refused; nothing is searched for in it.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from django.core.exceptions import ValidationError

from foundation.mail_addresses import read_mail_address
from foundation.names import tidy_name

# What a piece is made of. A quotation that begins a word may have separators and spaces in it, and
# so may what stands between < and >. Each alternative reads on from where the one before it ended
# and gives nothing back, so the time grows with the length alone.
_TOKEN = re.compile(
    r"""
      (?P<separator> [,;\n\r\v\f\x1c-\x1e\x85\u2028\u2029] )
    | (?P<gap> [^\S\n\r\v\f\x1c-\x1e\x85\u2028\u2029]++ )
    | < (?P<boxed> (?:mailto:)?+ (?: "(?:[^"\\\n\r]|\\[^\n\r])*+" )?+ [^\s<>",;]*+ ) >
    | (?P<word> (?:mailto:)?+ "(?:[^"\\\n\r]|\\[^\n\r])*+" [^\s<>,;]*+ | [^\s<>,;]++ | [<>] )
    """,
    re.VERBOSE | re.IGNORECASE,
)
_QUOTED = re.compile(r'"((?:[^"\\]|\\.)*+)"', re.DOTALL)
_ESCAPED = re.compile(r"\\(.)", re.DOTALL)
_PAIRS = ("''", "()", "[]", "{}", "<>", "“”", "„“", "‘’", "«»")
# What may stand between two people, beside signs.
_CONNECTORS = frozenset(("and", "or", "und", "oder", "et", "ou", "y", "o", "e", "en", "och", "og"))


@dataclass(frozen=True)
class Token:
    """A word of a piece, and the address that it is, if it is one."""

    text: str
    address: str = ""
    is_boxed: bool = False

    @property
    def connects(self) -> bool:
        return self.text in _CONNECTORS or not any(map(str.isalnum, self.text))


@dataclass(frozen=True)
class Person:
    """An address, with the name that was typed beside it."""

    address: str
    name: str = ""


@dataclass(frozen=True)
class Piece:
    """What stands between two separators: as it was typed, and who was read in it.

    Nobody: it cannot be read. `has_several` says that it has several addresses, among words of
    which it is not clear whose they are.
    """

    text: str
    people: Sequence[Person] = ()
    has_several: bool = False


def read_pieces(text: str) -> Iterator[Piece]:
    """Return the pieces of a text, without those in which nothing can be seen."""
    for typed, tokens in split_pieces(text):
        if tidy_name(typed):
            yield _read(typed, tokens)


def read_person(text: str) -> Piece:
    """Return a text that should have one person in it as one piece."""
    pieces = list(read_pieces(text))
    if len(pieces) == 1 and len(pieces[0].people) < 2:
        return pieces[0]
    addresses = sum(len(piece.people) or piece.has_several for piece in pieces)
    return Piece(text, has_several=addresses > 1)


def split_pieces(text: str) -> Iterator[tuple[str, list[Token]]]:
    """Return what stands between separators, with its words."""
    begins, tokens = 0, []
    for found in _TOKEN.finditer(text):
        if found.lastgroup == "separator":
            yield text[begins : found.start()], tokens
            begins, tokens = found.end(), []
        elif found.lastgroup == "boxed":
            tokens.append(Token(found[0], _address_in(found["boxed"]), is_boxed=True))
        elif found.lastgroup == "word":
            tokens.append(Token(found[0], _address_in(found[0])))
    yield text[begins:], tokens


def _read(typed: str, tokens: Sequence[Token]) -> Piece:
    found = [token for token in tokens if token.address]
    words = [token for token in tokens if not token.address]
    several = len({token.address for token in found}) > 1
    if not found or any("@" in word.text for word in words):
        return Piece(typed, has_several=several)
    boxed = [token for token in found if token.is_boxed]
    if len(found) == 1 or (len(boxed) == 1 and not several):  # ada@example.org <ada@example.org>
        return Piece(typed, [Person(found[0].address, _name_of(words))])
    if not boxed and all(word.connects for word in words):
        return Piece(typed, [Person(token.address) for token in found])
    last = max(place for place, token in enumerate(tokens) if token.address)
    if boxed == found and all(word.connects for word in tokens[last + 1 :]):
        return Piece(typed, list(_with_names_before(tokens[: last + 1])))
    return Piece(typed, has_several=True)


def _with_names_before(tokens: Sequence[Token]) -> Iterator[Person]:
    ends = [place for place, token in enumerate(tokens) if token.address]
    for before, place in pairwise([-1, *ends]):
        yield Person(tokens[place].address, _name_of(tokens[before + 1 : place]))


def _name_of(words: Sequence[Token]) -> str:
    """Return the words beside an address as a name, without what wraps it or connects it."""
    while words and words[0].text in _CONNECTORS:
        words = words[1:]
    if all(word.connects for word in words):
        return ""
    return tidy_name(_unwrapped(" ".join(_unquoted(word.text) for word in words)))


def _unquoted(text: str) -> str:
    found = _QUOTED.fullmatch(text)
    return _ESCAPED.sub(r"\1", found[1]) if found else text


def _unwrapped(text: str) -> str:
    """Return what stands in quotation marks or brackets, or the text where nothing does."""
    for first, last in _PAIRS:
        inner = text[1:-1]
        if text.startswith(first) and text.endswith(last) and len(text) > 1:
            return text if first in inner or last in inner else inner
    return _unquoted(text)


def _address_in(text: str) -> str:
    """Return the address that a word is, by itself or as it stands in brackets; or nothing."""
    if "@" not in text and "\uff20" not in text and "\ufe6b" not in text:
        return ""
    for each in (text, _unwrapped(text)):
        begins = len("mailto:") if each[:7].lower() == "mailto:" else 0
        try:
            return read_mail_address(each[begins:])
        except ValidationError:
            continue
    return ""
