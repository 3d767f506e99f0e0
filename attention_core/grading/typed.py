"""Typed answers to one step, read cell by cell, for a batch of answers."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from attention_core.catalogue import StoredProblem
from attention_core.errors import UnreadableNumber
from attention_core.grading.parse import MAX_LENGTH, parse_number
from attention_core.grading.signs import is_blank
from attention_core.maths.arrays import Array
from attention_core.problems.family import Problem, Step, Values
from attention_core.problems.tolerance import is_within


class CellState:
    """The state of a cell, from BLANK on the same under any verdict."""

    RIGHT, WRONG, NEAR, BLANK, UNREADABLE, FIXED = range(6)


@dataclass(frozen=True, slots=True)
class TypedStep:
    """The typed answers to one step of a batch; the batch axis comes first.

    Attributes:
        numbers: the typed numbers, NaN where there is none, the exact ones where they are fixed.
        states: the state of each cell; RIGHT means any readable number.
        exact: the right values.
        fixed: which cells are filled in for the student.
        tolerance: the step's tolerance, shaped so that it broadcasts to the cells of its answer.
    """

    numbers: Array
    states: np.ndarray
    exact: Array
    fixed: np.ndarray
    tolerance: Array

    @classmethod
    def read(
        cls,
        step: Step,
        answers: Sequence[tuple[Problem | StoredProblem, Mapping[str, Any]]],
        exact: Values,
    ) -> "TypedStep":
        """Read the answers to one step, each given with its problem."""
        wanted = exact[step.key]
        shape = wanted.shape[1:]
        given = step.fixed(exact)
        fixed = np.broadcast_to(False if given is None else given, wanted.shape)
        # A proof marks the same texts again and again, with other texts in other steps.
        cells_of: dict[int, list[str]] = {}
        texts: list[str] = []
        for _, answer in answers:
            raw = answer.get(step.key)
            cells = cells_of.get(id(raw))
            if cells is None:
                cells = cells_of[id(raw)] = _texts(raw, shape)
            texts += cells
        if step.choices:
            read = [
                _choice(text, problem.words[step.choices])
                for text, (problem, _) in zip(texts, answers, strict=True)
            ]
        else:
            read_number = _read_whole if step.decimals == 0 else _read_decimal
            read = [_TOO_LONG if len(text) > MAX_LENGTH else read_number(text) for text in texts]
        numbers, states = np.array(read).T
        tolerance = np.array([problem.tolerance[step.key] for problem, _ in answers])
        return cls(
            np.where(fixed, wanted, numbers.reshape(wanted.shape)),
            np.where(fixed, np.int8(CellState.FIXED), states.reshape(wanted.shape).astype(np.int8)),
            wanted,
            fixed,
            tolerance.reshape((-1,) + (1,) * len(shape)),
        )

    def at(self, places: np.ndarray) -> "TypedStep":
        """Return the answers at these places of the batch."""
        if len(places) == len(self.exact):
            return self
        return TypedStep(
            self.numbers[places],
            self.states[places],
            self.exact[places],
            self.fixed[places],
            self.tolerance[places],
        )

    @property
    def cell_axes(self) -> tuple[int, ...]:
        """All axes but that of the batch."""
        return tuple(range(1, self.exact.ndim))

    @property
    def blank(self) -> np.ndarray:
        """Booleans: the answers in which nothing was typed."""
        return ~np.any((self.states != CellState.BLANK) & ~self.fixed, axis=self.cell_axes)

    def broadcast_to_cells(self, each: np.ndarray) -> np.ndarray:
        """Return one number for each answer, shaped so that it broadcasts to its cells."""
        return each.reshape(self.tolerance.shape)

    def agree(self, wanted: Array, tolerance: Array) -> np.ndarray:
        """Return which typed cells are within the tolerance of the wanted array."""
        return np.asarray(is_within(self.numbers, wanted, tolerance) & ~self.fixed)

    def whole(self, cells: np.ndarray) -> np.ndarray:
        """Return which answers have all cells to type among these."""
        return np.asarray((cells | self.fixed).all(axis=self.cell_axes))

    def matches(self, wanted: Array, tolerances: int = 1) -> np.ndarray:
        """Return which answers agree with the wanted array in every cell that is typed."""
        if wanted.shape != self.exact.shape:
            return np.zeros(len(self.exact), bool)
        return self.whole(self.agree(wanted, tolerances * self.tolerance))

    def count(self, cells: np.ndarray) -> np.ndarray:
        """Return how many of these cells each answer has."""
        return np.asarray(cells.sum(axis=self.cell_axes))


def _texts(answer: Any, shape: tuple[int, ...]) -> list[str]:
    """Return the raw cells in reading order, as many as the shape has, blank where none fits."""
    rows: list[Any]
    if not shape:
        return [answer if isinstance(answer, str) else ""]
    rows = answer if isinstance(answer, list) else []
    if len(shape) == 1:
        # A vector is one row, typed flat or as a matrix of one row.
        if rows and isinstance(rows[0], list):
            rows = rows[0]
        row = [text if isinstance(text, str) else "" for text in rows[: shape[0]]]
        return row + [""] * (shape[0] - len(row))
    cells: list[str] = []
    for index in range(shape[0]):
        cells += _texts(rows[index] if index < len(rows) else None, shape[1:])
    return cells


# The number and the state of a cell.
type _Read = tuple[float, int]

_NOTHING: _Read = (np.nan, CellState.BLANK)
# Longer texts are no numbers, and would only fill the cache.
_TOO_LONG: _Read = (np.nan, CellState.UNREADABLE)


def _choice(text: str, words: Sequence[str]) -> _Read:
    return (float(text), CellState.RIGHT) if text in map(str, range(len(words))) else _NOTHING


@lru_cache(maxsize=50_000)  # A batch of answers repeats the same texts by the thousand.
def _read_decimal(text: str) -> _Read:
    return _read(text, integer=False)


@lru_cache(maxsize=50_000)
def _read_whole(text: str) -> _Read:
    return _read(text, integer=True)


def _read(text: str, *, integer: bool) -> _Read:
    if is_blank(text):
        return _NOTHING
    try:
        return parse_number(text, integer=integer).value, CellState.RIGHT
    except UnreadableNumber:
        return np.nan, CellState.UNREADABLE
