"""The values of formulas: exactly, as each careful rounder, and for a batch of answers at once.

A formula becomes one function of a way and of values by name, as a step of a family is. Each
arithmetic part rounds once, where a careful student would write down a number; taking a row,
transposing and comparing never do.
"""

import operator
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from attention_core.errors import FormulaError
from attention_core.formulas.functions import FUNCTIONS, axes_of
from attention_core.formulas.shapes import Scope, infer
from attention_core.formulas.trees import (
    Binary,
    Call,
    Item,
    Minus,
    Name,
    Node,
    Number,
    Span,
    Transposed,
)
from attention_core.maths.arrays import Array
from attention_core.problems.family import Compute, Values
from attention_core.problems.rounding import Way, transpose

COMPARE: Mapping[str, Callable[[Any, Any], Any]] = {
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


def compute(node: Node, scope: Scope) -> Compute:
    """Return the function that computes a formula, whatever the sizes of its arrays.

    Raises:
        FormulaError: as `infer` does.

    >>> from attention_core.formulas.trees import parse
    >>> from attention_core.problems.rounding import EXACT
    >>> from attention_core.problems.family import Values
    >>> score = compute(parse("q @ k"), Scope({"q": (2,), "k": (2,)}))
    >>> float(score(EXACT, Values(q=np.array([1.0, 2.0]), k=np.array([3.0, 4.0]))))
    11.0
    """
    infer(node, scope)
    return _Compiler(scope).compiled(node)


def rank(node: Node, scope: Scope) -> int:
    """Return the number of a formula's axes: 0 for a number, 1 for a vector, 2 for a matrix.

    >>> from attention_core.formulas.trees import parse
    >>> rank(parse("q @ k"), Scope({"q": (2,), "k": (2,)}))
    0
    """
    return len(infer(node, scope))


class Remembered(Values):
    """Values that keep the results of all parts of a formula, so that each is computed once."""

    def __init__(self, values: Mapping[str, Array]) -> None:
        super().__init__(values)
        self.results: dict[int, Array] = {}


def remember(node: Node, scope: Scope, parts: dict[int, tuple[Node, Compute]]) -> Compute:
    """Return the function that computes a formula from `Remembered` values.

    Args:
        parts: the functions of parts by their identities, which are added to.

    >>> from attention_core.formulas.trees import parse
    >>> from attention_core.problems.rounding import EXACT
    >>> tree, v = parse("x + 1"), Remembered({"x": np.array(2.0)})
    >>> float(remember(tree, Scope({"x": ()}), {})(EXACT, v)), len(v.results)
    (3.0, 3)
    """
    infer(node, scope)
    return _Remembering(scope, parts).compiled(node)


class _Compiler:
    def __init__(self, scope: Scope) -> None:
        self.scope = scope

    def compiled(self, node: Node) -> Compute:
        known = self.scope.compiled.get(id(node))
        if not known:
            known = self.scope.compiled[id(node)] = node, self.new(node)
        return known[1]

    def new(self, node: Node) -> Compute:
        match node:
            case Number(value=value):
                constant = np.array(value)
                return lambda way, v: constant
            case Name(name=name):
                return self.named(name)
            case Minus(x=x):
                inner = self.compiled(x)
                return lambda way, v: 0 - inner(way, v)  # 0 − 0 is 0, and −0 is not
            case Transposed(x=x):
                inner = self.compiled(x)
                return lambda way, v: transpose(inner(way, v))
            case Item():
                return self.item(node)
            case Call():
                return self.call(node)
            case Binary(sign="@"):
                return self.product(node)
            case Binary():
                return self.combined(node)
        raise FormulaError("This can’t be computed.", *node.at)

    def named(self, name: str) -> Compute:
        if name in self.scope.shapes:
            return lambda way, v: v[name]
        if name not in self.scope.read_off:
            return lambda way, v: v[name]
        given, axis = self.scope.read_off[name]
        return lambda way, v: np.array(float(v[given].shape[axis]))

    def item(self, node: Item) -> Compute:
        inner = self.compiled(node.x)
        left = rank(node.x, self.scope) - len(node.places)
        words = [place.name for place in node.places if isinstance(place, Name)]
        if words and len(node.places) > 1:
            raise FormulaError("A word picks a whole row: write X[word].", *node.at)
        if words:
            word = words[0]
            if left:
                return lambda way, v: _picked(v[word][..., None], inner(way, v), -2)
            return lambda way, v: _picked(v[word], inner(way, v), -1)
        places = tuple(_index(place) for place in node.places)
        index = (..., *places, *[slice(None)] * left)
        return lambda way, v: inner(way, v)[index]

    def call(self, node: Call) -> Compute:
        function = FUNCTIONS[node.function]
        counted = node.arguments[:1] if function.over else node.arguments
        parts = [self.compiled(argument) for argument in counted]
        ranks = [rank(argument, self.scope) for argument in counted]
        if function.aligned:
            parts = [_raised(part, own, max(ranks)) for part, own in zip(parts, ranks, strict=True)]
        axes = axes_of(node, ranks[0]) if function.over else ()
        inner = function.compute
        if node.function == "tril" and not ranks[0]:
            part = parts[0]
            return lambda way, v: np.tri(int(np.asarray(part(way, v)).flat[0]))
        if node.function == "stack":
            # Numbers become the cells of a vector, vectors the rows of a matrix.
            axes = (-2,) if any(ranks) else (-1,)
            parts = [_with_axis(part, own) for part, own in zip(parts, ranks, strict=True)]
        if len(parts) == 1:
            only = parts[0]
            return lambda way, v: inner(way, (only(way, v),), axes)
        return lambda way, v: inner(way, [part(way, v) for part in parts], axes)

    def product(self, node: Binary) -> Compute:
        left, right = self.compiled(node.left), self.compiled(node.right)
        ranks = rank(node.left, self.scope), rank(node.right, self.scope)
        if ranks == (1, 1):
            return lambda way, v: way.dot(left(way, v), right(way, v))
        if ranks == (2, 1):
            return lambda way, v: way.round(np.matvec(left(way, v), right(way, v)))
        if ranks == (1, 2):
            return lambda way, v: way.mix(left(way, v), right(way, v))
        return lambda way, v: way.product(left(way, v), right(way, v))

    def combined(self, node: Binary) -> Compute:
        ranks = rank(node.left, self.scope), rank(node.right, self.scope)
        left, right = (
            _raised(self.compiled(part), own, max(ranks))
            for part, own in zip((node.left, node.right), ranks, strict=True)
        )
        if node.sign == "/":
            return lambda way, v: _quotient(way, left(way, v), right(way, v))
        if node.sign in COMPARE:
            compare = COMPARE[node.sign]
            return lambda way, v: np.asarray(compare(left(way, v), right(way, v)), np.float64)
        sign = {"+": operator.add, "-": operator.sub, "*": operator.mul}.get(node.sign, np.power)
        return lambda way, v: way.round(sign(left(way, v), right(way, v)))


class _Remembering(_Compiler):
    def __init__(self, scope: Scope, parts: dict[int, tuple[Node, Compute]]) -> None:
        super().__init__(scope)
        self.parts = parts

    def compiled(self, node: Node) -> Compute:
        key = id(node)
        if key not in self.parts:
            inner = self.new(node)

            def computed(way: Way, v: Values) -> Array:
                if not isinstance(v, Remembered):
                    return inner(way, v)
                if key not in v.results:
                    v.results[key] = inner(way, v)
                return v.results[key]

            self.parts[key] = node, computed
        return self.parts[key][1]


def _quotient(way: Way, x: Array, divisor: Array) -> Array:
    """Return x over the divisor, as `Way.divide` does for arrays of the same rank."""
    with np.errstate(divide="ignore", invalid="ignore"):
        if way.reciprocal:
            return way.round(x * way.round(1.0 / divisor))
        return way.round(x / divisor)


def _picked(which: Array, x: Array, axis: int) -> Array:
    """Return what stands along the axis where `which` is 1; −∞ elsewhere doesn't matter."""
    return np.asarray(np.where(which != 0, x, 0).sum(axis=axis))


def _index(place: Node) -> int | slice:
    if isinstance(place, Span):
        return slice(place.start, place.stop)
    return int(place.value) if isinstance(place, Number) else 0


def _raised(part: Compute, own: int, rank: int) -> Compute:
    """Return the function of an array that gets the axes it lacks, in front of its own."""
    if own == rank:
        return part
    axes: Any = (..., *[None] * (rank - own), *[slice(None)] * own)
    return lambda way, v: part(way, v)[axes]


def _with_axis(part: Compute, own: int) -> Compute:
    """Return the function of a number as a vector, or of a vector as a row; matrices stay."""
    if own == 2:
        return part
    return lambda way, v: np.expand_dims(part(way, v), -1 - own)
