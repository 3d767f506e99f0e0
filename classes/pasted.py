"""Parser of pasted text: email addresses, one or several, with or without names.

All of the text belongs to a person or to a refused piece; addresses are not searched for in it.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from django.core.exceptions import ValidationError

from foundation.mail_addresses import read_mail_address
from foundation.names import tidy_name

# The tokens of a piece. A quotation at the beginning of a word, and text between < and >, may have
# separators and spaces in them. No alternative backtracks, so the time is linear in the length.
_TOKEN = re.compile(
    r"""
      (?P<separator> [,;\n\r\v\f\x1c-\x1e\x85\u2028\u2029] )
    | (?P<gap> [^\S\n\r\v\f\x1c-\x1e\x85\u2028\u2029]++ )
    | < (?P<boxed> (?:mailto:)?+ (?: "(?:[^"\\\n\r]|\\[^\n\r])*+" )?+ [^\s<>",;]*+ ) >
    | (?P<word> (?:mailto:)?+ "(?:[^"\\\n\r]|\\[^\n\r])*+" [^\s<>,;]*+ | [“„][^“”„\n\r]*+[”“]
        | [^\s<>,;]++ | [<>] )
    """,
    re.VERBOSE | re.IGNORECASE,
)
_QUOTED = re.compile(r'"((?:[^"\\]|\\.)*+)"', re.DOTALL)
_ESCAPED = re.compile(r"\\(.)", re.DOTALL)
_PAIRS = ("''", "()", "[]", "{}", "<>", "“”", "„“", "‘’", "«»")
# The words, besides signs, that may join two people.
_CONNECTORS = frozenset(("and", "or", "und", "oder", "et", "ou", "y", "o", "e", "en", "och", "og"))


@dataclass(frozen=True)
class Token:
    """A word of a piece, and its address if it is one."""

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
    """The text between two separators, and the people found in it.

    Without people, it could not be read; `has_several` then says that it has several addresses,
    among words that cannot be matched to them.
    """

    text: str
    people: Sequence[Person] = ()
    has_several: bool = False


def read_pieces(text: str) -> Iterator[Piece]:
    """Yield the pieces of a text, except those without a visible character."""
    for typed, tokens in split_pieces(text):
        if tidy_name(typed):
            yield _read(typed, tokens)


def read_person(text: str) -> Piece:
    """Return a text that should contain one person as one piece."""
    pieces = list(read_pieces(text))
    if len(pieces) == 1 and len(pieces[0].people) < 2:
        return pieces[0]
    addresses = sum(len(piece.people) or piece.has_several for piece in pieces)
    return Piece(text, has_several=addresses > 1)


def split_pieces(text: str) -> Iterator[tuple[str, list[Token]]]:
    """Yield the texts between separators, each with its tokens."""
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
    """Return the words beside an address as a name, without connectors and enclosing marks."""
    while words and words[0].text in _CONNECTORS:
        words = words[1:]
    if all(word.connects for word in words):
        return ""
    return tidy_name(_unwrapped(" ".join(_unquoted(word.text) for word in words)))


def _unquoted(text: str) -> str:
    found = _QUOTED.fullmatch(text)
    return _ESCAPED.sub(r"\1", found[1]) if found else text


def _unwrapped(text: str) -> str:
    """Return a text without its enclosing quotation marks or brackets, if any."""
    for first, last in _PAIRS:
        inner = text[1:-1]
        if text.startswith(first) and text.endswith(last) and len(text) > 1:
            return text if first in inner or last in inner else inner
    return _unquoted(text)


def _address_in(text: str) -> str:
    """Return the address in a word, by itself or in brackets, or ""."""
    if "@" not in text and "\uff20" not in text and "\ufe6b" not in text:
        return ""
    for each in (text, _unwrapped(text)):
        begins = len("mailto:") if each[:7].lower() == "mailto:" else 0
        try:
            return read_mail_address(each[begins:])
        except ValidationError:
            continue
    return ""
