"""LaTeX of worked solutions: one cell written out with its numbers."""

import re
from collections.abc import Callable, Iterable

import numpy as np

from attention_core.maths.arrays import Array
from attention_core.problems.family import Cell, Values

type Number = float | Array

# A fraction that is wider than so many digits is too wide for a phone.
MAX_WIDTH = 24


def number(value: Number) -> str:
    r"""Format a number as the page shows it: to three decimals, without trailing zeros.

    >>> number(0.5), number(-1.0), number(1 / 3), number(-0.0001)
    ('0.5', '-1', '0.333', '0')
    >>> number(float("-inf")), number(float("nan"))
    ('-\\infty', '\\text{?}')
    """
    if not np.isfinite(value):
        return r"\text{?}" if np.isnan(value) else r"\infty" if value > 0 else r"-\infty"
    text = f"{float(value):.3f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


def equals(value: Number) -> str:
    r"""Return the end of a line: "=" before an exact result, "≈" before a rounded one.

    >>> equals(0.125), equals(2 / 3), equals(float("inf"))
    ('= 0.125', '\\approx 0.667', '\\text{ isn’t a number}')
    """
    if not np.isfinite(value):
        return r"\text{ isn’t a number}"
    shown = number(value)
    return f"= {shown}" if abs(float(value) - float(shown)) < 1e-9 else rf"\approx {shown}"


def factor(value: Number) -> str:
    """Format a number inside a product: negative ones in brackets.

    >>> factor(-0.25)
    '(-0.25)'
    """
    return f"({number(value)})" if float(value) < 0 and number(value) != "0" else number(value)


def line(rows: Array, row: int) -> Array:
    """Return a row of a matrix; a vector is one row."""
    return rows if rows.ndim == 1 else rows[row]


def at(array: Array, row: int, column: int) -> Number:
    """Return one cell; a vector is one row, and a scalar one cell."""
    return float(np.atleast_2d(array)[row, column])


def first_of(name: str, cell: Cell) -> Callable[[Values], str]:
    """Return a function that writes out the first cell under its name."""
    return lambda v: f"{name} = {cell(v, 0, 0)}"


def vector(row: Array) -> str:
    r"""Format a row in brackets.

    >>> vector([1.0, -0.5])
    '(1,\\ -0.5)'
    """
    return f"({',\\ '.join(number(x) for x in row)})"


def sum_of_products(a: Array, b: Array) -> str:
    r"""Write out a · b.

    >>> sum_of_products([1.0, -2.0], [0.5, 3.0])
    '1 \\cdot 0.5 + (-2) \\cdot 3'
    """
    pairs = zip(list(a), list(b), strict=True)
    return r" + ".join(rf"{factor(x)} \cdot {factor(y)}" for x, y in pairs)


def dot_product(name: str, a: Array, b: Array, result: Number) -> str:
    """Write out name = a · b = result, with every product."""
    return f"{name} = {sum_of_products(a, b)} {equals(result)}"


def fraction(name: str, above: str, below: str, result: Number) -> str:
    """Write out name = above / below = result."""
    return f"{name} = {quotient(above, below, result)}"


def quotient(above: str, below: str, result: Number) -> str:
    r"""Write out above / below = result, in one line where a fraction would be too wide.

    >>> quotient("1 + 2", "7", 3 / 7)
    '\\frac{1 + 2}{7} \\approx 0.429'
    """
    if max(map(_width, (above, below))) <= MAX_WIDTH:
        return rf"\frac{{{above}}}{{{below}}} {equals(result)}"
    # The brackets are large ones, at whose signs a page may break a line.
    sides = [rf"\bigl({side}\bigr)" if " " in side else side for side in (above, below)]
    return rf"{' / '.join(sides)} {equals(result)}"


def _width(latex: str) -> float:
    """Return about how many digits of a line a formula takes: powers are small."""
    small = sum(map(len, re.findall(r"\^\{([^}]*)\}", latex)))
    return len(re.sub(r"[{}^ ]", "", re.sub(r"\\[a-z]+", ".", latex))) - 0.3 * small


def softmax_cell(scores: Iterable[Number], place: int, result: Number) -> str:
    """Write out a softmax weight: its exponential over the sum of the row's exponentials."""
    powers = [f"e^{{{number(score)}}}" for score in scores]
    return quotient(powers[place], " + ".join(powers), result)
