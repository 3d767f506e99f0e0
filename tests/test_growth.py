"""Readers of typed, pasted or uploaded text take twice as long for twice as much, no more.

A parser is added by a line in PARSERS: how it reads a text, and the maximum length of a text if
that is limited before it is read. Those of Markdown are in lessons/markdown/test_growth.py.
"""

import csv
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass

import pytest

from classes.access.forms import MAX_PASTED_LENGTH
from classes.errors import Unreadable
from classes.rosters import read_file, read_pasted, split_labels
from foundation.names import tidy_name
from lessons.pages import search
from lessons.rendering import MAX_TEXT_LENGTH
from tests.each import each
from tests.growth import A_MOMENT, grows_in_proportion

SHORTEST = 1_000
LONGEST_CELL = csv.field_size_limit()
LONGEST_FILE = 2_000_000  # beyond that memory takes the time, not reading
LONG_ENOUGH = 1.5 * A_MOMENT  # seconds; a quadratic reader's growth stands out from then on
SHAPES = {
    "letters": "a",
    "spaces": " ",
    "at signs": "@",
    "labels of a domain": "a.",
    "words": "word ",
    "addresses": "Ada <ada@example.org>, ",
    "quotation marks": '" ',
    "escapes": '\\"',
    "opening brackets": '<"',
    "nested brackets": "[(",
    "marks and joiners": "a\u0301\u200d\u200c\u0316",
    "lines": "a,b\n",
}


@dataclass(frozen=True)
class Parser:
    """A reader of texts, and the number of characters that reach it at most."""

    read: Callable[[str], object]
    longest: int


def _find(text: str) -> None:
    search.quote(text, search.query_words("a word addressed"))


PARSERS = {
    "pasted addresses": Parser(read_pasted, MAX_PASTED_LENGTH),
    "a list with heads": Parser(
        lambda text: read_file(f"Email,Name\n{text}".encode()), LONGEST_FILE
    ),
    "a list without heads": Parser(
        lambda text: read_file(f"a@x.org\n{text}".encode()), LONGEST_FILE
    ),
    "a cell with an address": Parser(
        lambda text: read_file(f'Email\n"{text.replace('"', '""')}"'.encode()), LONGEST_CELL
    ),
    "labels": Parser(split_labels, LONGEST_CELL),
    "names": Parser(tidy_name, LONGEST_CELL),
    "search": Parser(_find, MAX_TEXT_LENGTH),
}


def _seconds(parser: Parser, text: str) -> float:
    """Return the processor time of one reading."""
    began = time.process_time()
    with suppress(Unreadable):
        parser.read(text)
    return time.process_time() - began


@pytest.mark.parametrize("parser", PARSERS.values(), ids=PARSERS.keys())
@each("shape", SHAPES)
def test_twice_as_much_takes_twice_as_long(parser, shape):
    def seconds(length: int) -> float:
        unit = SHAPES[shape]
        return _seconds(parser, (unit * (length // len(unit) + 1))[:length])

    length = SHORTEST
    while seconds(length) < LONG_ENOUGH:
        length *= 2
        if length * 2 > parser.longest:
            return  # the longest allowed text takes a moment
    assert grows_in_proportion(seconds, length), length
