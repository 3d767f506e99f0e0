"""The compact form in which rows keep the steps of grades, the most numerous data of all."""

import json
from collections.abc import Mapping
from contextlib import suppress
from fractions import Fraction
from functools import lru_cache
from typing import Any

from quizzes.models.plain_json import PlainJSONField
from quizzes.problems import verdicts

_PARTS = ("key", "verdict", "mistake", "points", "out_of", "cells", "tolerance")
# Each word has its own first letter.
_WORDS = {
    word[0]: word
    for word in (
        verdicts.RIGHT,
        verdicts.WRONG,
        verdicts.NEAR,
        verdicts.BLANK,
        verdicts.UNREADABLE,
        verdicts.FIXED,
    )
}
_LETTERS = {word: letter for letter, word in _WORDS.items()}


def packed_step(step: Mapping[str, Any]) -> list[Any] | Mapping[str, Any]:
    """Return a step as a row keeps it: a list without names; unknown parts leave it unchanged.

    >>> step = {"key": "score", "verdict": "right", "mistake": "", "points": "1", "out_of": "1"}
    >>> packed_step(step | {"cells": [["right", "fixed"], ["wrong", "right"]]})
    ['score', 'right', '', '1', '1', '2rf/wr']
    """
    if not step.keys() <= set(_PARTS):
        return step
    with suppress(KeyError, TypeError):
        packed = [*(step[part] for part in _PARTS[:5]), _packed_cells(step["cells"])]
        tolerance = step.get("tolerance")
        return packed if tolerance is None else [*packed, tolerance]
    return step


def step_of(packed: list[Any] | Mapping[str, Any]) -> Mapping[str, Any]:
    """Return a step with its parts by name, packed or not.

    >>> step_of(["score", "near", "", "1/2", "1", "0n"])["cells"]
    'near'
    """
    if isinstance(packed, Mapping):
        return packed
    step = dict.fromkeys(_PARTS) | dict(zip(_PARTS, packed, strict=False))
    return step | {"cells": _cells_of(step["cells"])}


@lru_cache(maxsize=20_000)
def parse_outlines(text: str) -> tuple[tuple[str, str, str, float], ...]:
    """Return key, verdict, mistake and lost points of each step in a row's JSON text.

    Many answers earn the same, so the cache spares most of the parsing.

    >>> parse_outlines('[["score","mistake","unscaled","1/4","1","0w"]]')
    (('score', 'mistake', 'unscaled', 0.75),)
    """
    steps = map(step_of, json.loads(text))
    return tuple(
        (
            step["key"],
            step["verdict"],
            step["mistake"],
            float(Fraction(step["out_of"]) - Fraction(step["points"])),
        )
        for step in steps
    )


def _packed_cells(cells: Any) -> str:
    """Return how deep the cells are nested, then a letter for each."""
    if cells is None:
        return ""
    if isinstance(cells, str):
        return f"0{_LETTERS[cells]}"
    if cells and isinstance(cells[0], str):
        return f"1{_row(cells)}"
    return f"2{'/'.join(map(_row, cells))}"


def _row(cells: list[str]) -> str:
    return "".join([_LETTERS[cell] for cell in cells])


def _cells_of(packed: str) -> Any:
    if not packed:
        return None
    rows = [[_WORDS[letter] for letter in row] for row in packed[1:].split("/")]
    return (rows[0][0] if packed[0] == "0" else rows[0]) if packed[0] in "01" else rows


class StepsField(PlainJSONField):
    """The steps of a grade, as marking makes them; in its row they take a fifth of the space."""

    def from_db_value(self, value, expression, connection):
        found = super().from_db_value(value, expression, connection)
        return None if found is None else [step_of(step) for step in found]

    def get_prep_value(self, value):
        packed = None if value is None else [packed_step(step) for step in value]
        return super().get_prep_value(packed)
