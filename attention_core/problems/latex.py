"""LaTeX for worked solutions: one cell written out with its numbers."""

from collections.abc import Iterable

from attention_core.maths.arrays import Array

type Number = float | Array


def number(value: Number) -> str:
    """A number as the page shows it: a whole number or a tenth as given, else three decimals.

    >>> number(0.5), number(-1.0), number(1 / 3), number(-0.0001)
    ('0.5', '-1', '0.333', '0')
    """
    text = f"{float(value):.3f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


def equals(value: Number) -> str:
    r"""The end of a line: "=" where the number shown is the result, "≈" where it is rounded.

    >>> equals(0.125), equals(2 / 3)
    ('= 0.125', '\\approx 0.667')
    """
    shown = number(value)
    return f"= {shown}" if abs(float(value) - float(shown)) < 1e-9 else rf"\approx {shown}"


def factor(value: Number) -> str:
    """A number inside a product: negative ones stand in brackets.

    >>> factor(-0.25)
    '(-0.25)'
    """
    return f"({number(value)})" if float(value) < 0 and number(value) != "0" else number(value)


def first_row(rows: Array) -> Array:
    """The first row of a matrix; of a vector, all."""
    return rows if rows.ndim == 1 else rows[0]


def vector(row: Array) -> str:
    r"""A row in brackets.

    >>> vector([1.0, -0.5])
    '(1,\\ -0.5)'
    """
    return f"({',\\ '.join(number(x) for x in row)})"


def sum_of_products(a: Array, b: Array) -> str:
    r"""a · b written out.

    >>> sum_of_products([1.0, -2.0], [0.5, 3.0])
    '1 \\cdot 0.5 + (-2) \\cdot 3'
    """
    pairs = zip(list(a), list(b), strict=True)
    return r" + ".join(rf"{factor(x)} \cdot {factor(y)}" for x, y in pairs)


def dot_product(name: str, a: Array, b: Array, result: Number) -> str:
    """name = a · b = result, every product shown."""
    return f"{name} = {sum_of_products(a, b)} {equals(result)}"


def product_cell(name: str, rows: Array, matrix: Array, result: Array) -> str:
    """The first cell of a row, or of rows, times a matrix."""
    return dot_product(name, first_row(rows), matrix[:, 0], result.flat[0])


def fraction(name: str, above: str, below: str, result: Number) -> str:
    """name = above / below = result."""
    return rf"{name} = \frac{{{above}}}{{{below}}} {equals(result)}"


def softmax_cell(name: str, scores: Iterable[Number], place: int, result: Number) -> str:
    """One softmax weight: its exponential over the sum of all of the row's."""
    powers = [f"e^{{{number(score)}}}" for score in scores]
    return fraction(name, powers[place], " + ".join(powers), result)


def sum_cell(name: str, a: Array, b: Array, result: Array) -> str:
    """The first place of a sum of vectors."""
    return f"{name} = {number(a[0])} + {factor(b[0])} {equals(result[0])}"


def layer_norm_cell(name: str, vector: Array, result: Number) -> str:
    """The first place of a layer norm: its deviation from the mean over the standard deviation."""
    above = f"{number(vector[0])} - {factor(vector.mean())}"
    return fraction(name, above, number(vector.std()), result)
