"""A head's map in miniature: where every token looks, without the numbers."""

from collections import defaultdict
from typing import Any

from attention_core.maths.arrays import Array
from design.matrix import heat_level


def small_map(
    name: str,
    values: Array,
    *,
    key: str = "",
    says: str = "",
    within: tuple[float, float] = (0.0, 1.0),
) -> dict[str, Any]:
    """Return the map of (T, T) weights, or of other values `within` a range, blank to deep.

    Its `squares` are a path for each step of heat; blank squares are left out.
    """
    size = len(values)
    squares = squares_of(heats(values, *within), size)
    return {"name": name, "key": key, "says": says, "size": size, "squares": squares}


def heats(values: Array, low: float = 0.0, high: float = 1.0) -> str:
    """Return a digit for each square, row by row: its step of the heat scale from low to high.

    >>> from numpy import array
    >>> heats(array([[1.0, 0.0], [0.25, 0.75]]))
    '9027'
    """
    return "".join(str(heat_level(value, low, high)) for value in values.ravel().tolist())


def squares_of(heats: str, size: int) -> dict[str, str]:
    """Return the path of all squares of each heat; an element for each square would be slow.

    >>> squares_of("9029", 2)
    {'9': 'M0 0h1v1h-1zM1 1h1v1h-1z', '2': 'M0 1h1v1h-1z'}
    """
    paths: dict[str, str] = defaultdict(str)
    for n, heat in enumerate(heats):
        if heat != "0":
            paths[heat] += f"M{n % size} {n // size}h1v1h-1z"
    return dict(paths)
