"""One cell of a formula, written out with a variant's numbers."""

import numpy as np

from attention_core.formulas.compute import Remembered, remember
from attention_core.formulas.functions import FUNCTIONS, axes_of
from attention_core.formulas.shapes import Scope, infer
from attention_core.formulas.trees import Binary, Call, Minus, Node
from attention_core.formulas.written import STRENGTH
from attention_core.maths.arrays import Array
from attention_core.problems.family import Cell, Compute, Values
from attention_core.problems.latex import (
    MAX_WIDTH,
    at,
    equals,
    factor,
    number,
    quotient,
    softmax_cell,
    sum_of_products,
)
from attention_core.problems.rounding import EXACT

# A part that is longer, written out, is shown as its number.
MAX_PART = 90
# Of more terms than this, only the first two and the last are written.
MAX_TERMS = 6
_SINGLE = frozenset(["sqrt", "exp", "log", "abs", "sign", "cos", "sin", "relu", "gelu", "silu"])
_ADDED, _MULTIPLIED, _NEGATED, _RAISED, _WHOLE, _PICKED = range(1, 7)


def worked_cell(node: Node, scope: Scope, name: str = "") -> Cell:
    r"""Return the function that writes out a cell of a formula, by its row and column.

    Args:
        name: what stands in front, if anything.

    >>> from attention_core.formulas.trees import parse
    >>> dot = worked_cell(parse("q @ k"), Scope({"q": (2,), "k": (2,)}))
    >>> dot(Values(q=np.array([1.2, -0.3]), k=np.array([0.5, 2])), 0, 0)
    '1.2 \\cdot 0.5 + (-0.3) \\cdot 2 = 0'
    """
    parts: dict[int, tuple[Node, Compute]] = {}

    def cell(v: Values, row: int, column: int) -> str:
        return _Worked(scope, v, parts).line(node, row, column, name)

    return cell


class _Worked:
    """Writes out the parts of one variant's cell."""

    def __init__(self, scope: Scope, v: Values, parts: dict[int, tuple[Node, Compute]]) -> None:
        self.scope, self.v, self.parts = scope, Remembered(v), parts

    def value(self, node: Node) -> Array:
        return np.asarray(remember(node, self.scope, self.parts)(EXACT, self.v))

    def here(self, node: Node, row: int, column: int) -> float:
        """Return a part's number in this cell: a vector's by its column, whatever the row."""
        array = self.value(node)
        return float(at(array, row if array.ndim == 2 and len(array) > 1 else 0,
                        column if array.ndim and array.shape[-1] > 1 else 0))  # fmt: skip

    def line(self, node: Node, row: int, column: int, name: str = "") -> str:
        """Return the cell written out, and its result, with its name in front."""
        named = f"{name} = " if name else ""
        match node:
            case Call(function="norm", arguments=[a]):
                # A root can't be broken at the end of a line, so its sum stands before it.
                result = self.here(node, row, column)
                root = rf"\sqrt{{{number(result**2)}}} {equals(result)}"
                return rf"{self.squares(a)} {equals(result**2)}, \quad {named}{root}"
        return named + self.unnamed(node, row, column)

    def unnamed(self, node: Node, row: int, column: int) -> str:
        result = self.here(node, row, column)
        match node:
            case Binary(sign="/", left=left, right=right):
                above, below = (self.side(each, row, column) for each in (left, right))
                return quotient(above, below, result)
            case Call(function="softmax"):
                scores, place = self.row_of(node, row, column)
                visible = np.isfinite(scores)
                if not visible[place]:
                    return rf"e^{{-\infty}} {equals(0)}"
                return softmax_cell(scores[visible], int(visible[:place].sum()), result)
            case Call(function="layer_norm", arguments=[x]):
                values = self.vector(x, row)
                deviation = f"{number(values[column])} - {factor(values.mean())}"
                return quotient(deviation, number(values.std()), result)
            case Call(function="rms_norm", arguments=[x]):
                values = self.vector(x, row)
                root = float(np.sqrt((values * values).mean()))
                return quotient(number(values[column]), number(root), result)
            case Call(function=("mean" | "var")):
                total, count = self.averaged(node, row, column)
                return quotient(total, str(count), result)
        text, strength = self.part(node, row, column)
        # Nothing is worked out where a number is only picked.
        return number(result) if strength == _PICKED else f"{text} {equals(result)}"

    def squares(self, node: Node) -> str:
        """Return the sum of a vector's squares, written out."""
        match node:
            case Binary(sign=("+" | "-") as sign, left=left, right=right):
                pairs = zip(self.value(left), self.value(right), strict=True)
                return _added([f"({number(x)} {sign} {factor(y)})^2" for x, y in pairs])
        return _added([f"{factor(x)}^2" for x in self.value(node)])

    def side(self, node: Node, row: int, column: int) -> str:
        """Return what stands above or below a line: written out, or with its parts' numbers."""
        text = self.text(node, row, column)
        if not isinstance(node, Binary) or node.sign != "*" or len(text) <= MAX_WIDTH:
            return text
        return r" \cdot ".join(factor(self.here(x, row, column)) for x in (node.left, node.right))

    def row_of(self, node: Call, row: int, column: int) -> tuple[Array, int]:
        """Return the numbers that a softmax divides among, and the cell's place among them."""
        scores = self.value(node.arguments[0])
        along = axes_of(node, scores.ndim)[0]
        if scores.ndim == 1:
            return scores, column
        return (scores[row], column) if along == -1 else (scores[:, column], row)

    def vector(self, node: Node, row: int) -> Array:
        array = self.value(node)
        return array if array.ndim < 2 else array[row]

    def text(self, node: Node, row: int, column: int, least: int = 0) -> str:
        """Return a part written out; its number alone where that would be too long."""
        text, strength = self.part(node, row, column)
        if len(text) > MAX_PART or strength == _PICKED:
            value = self.here(node, row, column)
            return number(value) if least <= _ADDED else factor(value)
        if strength < least:
            return rf"\left({text}\right)"
        return text

    def part(self, node: Node, row: int, column: int) -> tuple[str, int]:
        match node:
            case Minus(x=x):
                return f"-{self.text(x, row, column, _MULTIPLIED)}", _NEGATED
            case Binary(sign="@", left=left, right=right):
                A, B = self.value(left), self.value(right)
                # The product with a vector is a vector, whose cells are counted by column.
                a = A[row if B.ndim == 2 else column] if A.ndim == 2 else A
                b = B[:, column] if B.ndim == 2 else B
                return sum_of_products(a, b), _ADDED
            case Binary(sign="/", left=left, right=right):
                above, below = (self.text(each, row, column) for each in (left, right))
                return rf"\frac{{{above}}}{{{below}}}", _WHOLE
            case Binary(sign="**", left=left, right=right):
                base = self.text(left, row, column, _WHOLE)
                return f"{base}^{{{self.text(right, row, column)}}}", _RAISED
            case Binary(sign=("+" | "-" | "*") as sign, left=left, right=right):
                own = STRENGTH[sign]
                between = r" \cdot " if sign == "*" else f" {sign} "
                after = self.text(right, row, column, own + 1)
                after = rf"\left({after}\right)" if after.startswith("-") else after
                return f"{self.text(left, row, column, own)}{between}{after}", own
            case Call(function=name, arguments=arguments) if name in _SINGLE:
                inner = self.text(arguments[0], row, column)
                own = _RAISED if name == "exp" else _WHOLE
                return FUNCTIONS[name].latex.format(inner), own
            case Call(function="outer", arguments=[a, b]):
                sides = float(self.value(a)[row]), float(self.value(b)[column])
                return r" \cdot ".join(map(factor, sides)), _MULTIPLIED
            case Call(function=("sum" | "max" | "min")):
                return self.reduced(node, row, column)
            case Call(function="dot", arguments=[a, b]):
                return sum_of_products(self.value(a), self.value(b)), _ADDED
            case Call(function="norm", arguments=[a]):
                return rf"\sqrt{{{self.squares(a)}}}", _WHOLE
        return "", _PICKED

    def reduced(self, node: Call, row: int, column: int) -> tuple[str, int]:
        cells = self.cells(node, column)
        if node.function == "sum":
            return _added([number(cells[0]), *map(factor, cells[1:])]), _ADDED
        return rf"\{node.function}({_listed([number(x) for x in cells], r',\, ')})", _WHOLE

    def averaged(self, node: Call, row: int, column: int) -> tuple[str, int]:
        """Return the sum that a mean or a variance divides, and by how many."""
        cells = self.cells(node, column)
        if node.function == "mean":
            return _added([number(cells[0]), *map(factor, cells[1:])]), len(cells)
        mean = factor(cells.mean())
        return _added([rf"({number(x)} - {mean})^2" for x in cells]), len(cells)

    def cells(self, node: Call, column: int) -> Array:
        """Return the numbers along the axis that a function works along."""
        array = self.value(node.arguments[0])
        if not infer(node, self.scope):
            return array.ravel()
        return array[column] if axes_of(node, array.ndim) == (-1,) else array[:, column]


def _added(terms: list[str]) -> str:
    return _listed(terms, " + ")


def _listed(terms: list[str], between: str) -> str:
    """Return terms in a row; the first two and the last where there are many."""
    return between.join(terms if len(terms) <= MAX_TERMS else [*terms[:2], r"\dots", terms[-1]])
