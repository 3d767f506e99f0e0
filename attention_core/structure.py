"""The structure of steps: the cells of givens and earlier steps on which each cell depends.

It is found by trying: in many draws of a family one number at a time is replaced by another draw's,
and the cells that change depend on it. It holds for all variants of one size, so that it reveals
nothing about the numbers of a variant.

A rule names the rows, or the columns, of a source on which the cell in row r and column c depends:

    *     all of them
    r, c  that of the cell's own row, or of its own column
    rc    both of these
    <r    all up to that of the cell's own row
    c-2   that so far before the cell's own column, where there is one
"""

from collections.abc import Iterator, Mapping
from functools import lru_cache

import numpy as np

from attention_core.catalogue import draw_unproved
from attention_core.maths.arrays import Array
from attention_core.problems.facts import Dependencies, Part, Sizes
from attention_core.problems.family import Family, Step, Values
from attention_core.problems.rounding import EXACT

# A ReLU that is off hides its inputs; in one of so many draws it is on.
DRAWS = 24
_NOTICEABLE = 1e-9


def step_dependencies(family: Family, options: Mapping[str, int]) -> Mapping[str, Dependencies]:
    """Return for every step of a family the givens and earlier steps on which it depends, by key.

    A vector is one row, a scalar one cell. Where no rule fits, the part has all rows, or all
    columns: it may have more than the cell depends on, and never less.

    Args:
        options: all of its sizes.

    >>> from attention_core import family
    >>> found = step_dependencies(family("attention"), {"tokens": 2, "width": 3})
    >>> found["scores"]
    {'Q': Part(rows='r', columns='*'), 'K': Part(rows='c', columns='*')}
    >>> found["output"]
    {'V': Part(rows='*', columns='c'), 'weights': Part(rows='r', columns='*')}
    """
    sizes = tuple((name, options[name]) for name in family.options)
    facts = family.facts.get(sizes)
    return facts.dependencies if facts else _makes(family, sizes)


@lru_cache(maxsize=256)
def _makes(family: Family, options: Sizes) -> Mapping[str, Dependencies]:
    sizes = dict(options)
    shown = {given.key for given in family.givens}
    drawn = [draw_unproved(family, sizes, "structure", draw) for draw in range(DRAWS)]
    values = Values(
        {name: np.stack([each.values[name] for each in drawn]) for name in drawn[0].values}
    )
    found: dict[str, Dependencies] = {}
    for step in family.steps:
        typed = np.atleast_2d(drawn[0].typed[step.key])
        sources = (name for name in values if name in shown or name in found)
        found[step.key] = dict(_parts(step, sources, typed, values))
    return found


def _parts(
    step: Step, sources: Iterator[str], typed: np.ndarray, values: Values
) -> Iterator[tuple[str, Part]]:
    places = np.argwhere(typed)
    for source in sources:
        changed = _changed(step, source, values)[typed]
        if changed.any():
            yield source, _part(changed, places)


def _changed(step: Step, source: str, values: Values) -> np.ndarray:
    """Return whether the step's cell r, c changes with the source's cell i, j: (r, c, i, j)."""
    was, made = values[source], values[step.key]
    cells = int(np.prod(was.shape[1:]))
    each = np.eye(cells, dtype=bool).reshape(cells, 1, *was.shape[1:])
    # Each draw takes its number from the next one.
    tried = {key: _over(cells, array) for key, array in values.items()}
    tried[source] = np.where(each, np.roll(was, -1, axis=0), was).reshape(-1, *was.shape[1:])
    with np.errstate(all="ignore"):
        result = step.compute(EXACT, Values(tried)).reshape(cells, *made.shape)
        moved = np.nan_to_num(np.abs(result - made), nan=1.0) > _NOTICEABLE
    by_cell = np.moveaxis(moved.any(axis=1), 0, -1)
    rows_and_columns = [(1, 1, *array.shape[1:])[-2:] for array in (made, was)]
    return by_cell.reshape(*rows_and_columns[0], *rows_and_columns[1])


def _over(times: int, array: Array) -> Array:
    return np.broadcast_to(array, (times, *array.shape)).reshape(-1, *array.shape[1:])


def _part(changed: np.ndarray, places: np.ndarray) -> Part:
    """Return the rules by which cells of the source change the step's cells at these places.

    One of the two rules also tells which cells of the step change at all.
    """
    some = changed.any(axis=(1, 2))
    rows, columns = changed.any(axis=2), changed.any(axis=1)
    for row_places, column_places in ((slice(None), some), (some, slice(None))):
        row = _rule(rows[row_places], places[row_places])
        column = _rule(columns[column_places], places[column_places])
        if row and column:
            return Part(row, column)
    return Part(_rule(rows[some], places[some]) or "*", _rule(columns[some], places[some]) or "*")


def _rule(lines: np.ndarray, places: np.ndarray) -> str:
    """Return the first rule that gives the source's lines for every place; "" if none does."""
    every = np.arange(lines.shape[1])
    r, c = places[:, :1], places[:, 1:]
    before = int((c - every)[lines].max(initial=0))
    rules = {
        "*": np.ones_like(lines),
        "r": every == r,
        "c": every == c,
        "rc": (every == r) | (every == c),
        "<r": every <= r,
        f"c-{before}": every == c - before,
    }
    return next((rule for rule, says in rules.items() if np.array_equal(says, lines)), "")
