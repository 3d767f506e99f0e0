"""The shapes of formulas: scalars, vectors and matrices, worked out before anything is computed.

Each length knows which size it stems from, so that the rows of a step are labelled with words
where the rows of a given are.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from attention_core.errors import FormulaError
from attention_core.formulas.functions import FUNCTIONS, NAMES
from attention_core.formulas.hints import function_instead, nearest, no_function
from attention_core.formulas.lengths import Length, Shape, broadcast, in_words
from attention_core.formulas.trees import (
    Binary,
    Call,
    Either,
    Item,
    Minus,
    Name,
    Node,
    Number,
    Span,
    Transposed,
    parse,
    substituted,
)
from attention_core.formulas.written import written

MAX_CELLS = 400
DRAWS = frozenset([
    "tenths", "hundredths", "integers", "lopsided", "shares", "scores", "sentence", "word_pair",
    "choice", "suited", "meanings",
])  # fmt: skip


class Axis(NamedTuple):
    """An axis of a given, counted from the last (−1), off which a size is read."""

    given: str
    axis: int


@dataclass(frozen=True)
class Scope:
    """The names that a formula may read.

    Attributes:
        shapes: of the givens and the earlier steps.
        sizes: the numbers behind the names of sizes.
        read_off: where each size shows; one that no given shows is a given itself.
        words: the givens that point at a word, 1 at its place and 0 elsewhere.
    """

    shapes: Mapping[str, Shape]
    sizes: Mapping[str, Length] = field(default_factory=dict)
    read_off: Mapping[str, Axis] = field(default_factory=dict)
    words: frozenset[str] = frozenset()
    # What is known of formulas' parts, by their identities. Names may be added, but never change.
    inferred: dict[int, tuple[Node, Shape]] = field(default_factory=dict, repr=False, compare=False)
    compiled: dict[int, tuple[Node, Any]] = field(default_factory=dict, repr=False, compare=False)
    printed: dict[int, tuple[Node, Any]] = field(default_factory=dict, repr=False, compare=False)
    at_sizes: dict[Any, "Scope"] = field(default_factory=dict, repr=False, compare=False)


def infer(node: Node, scope: Scope) -> Shape:
    """Return the shape of a formula's value.

    Raises:
        FormulaError: an unknown name, or operands whose shapes don't fit each other.

    >>> from attention_core.formulas.trees import parse
    >>> infer(parse("Q @ K.T"), Scope({"Q": (2, 3), "K": (4, 3)}))
    (2, 4)
    """
    return _Inference(scope).shape(node)


class _Inference:
    def __init__(self, scope: Scope) -> None:
        self.scope = scope

    def shape(self, node: Node) -> Shape:
        if known := self.scope.inferred.get(id(node)):
            return known[1]
        found = self._shape(node)
        cells = 1
        for length in found:
            cells *= length
        if cells > MAX_CELLS:
            raise FormulaError(
                f"{written(node)} is {in_words(found)}; an array has at most {MAX_CELLS} cells.",
                *node.at,
            )
        # Holding the part keeps its identity from going to another one.
        self.scope.inferred[id(node)] = node, found
        return found

    def _shape(self, node: Node) -> Shape:
        match node:
            case Number():
                return ()
            case Name(name=name):
                return self.named(node, name)
            case Minus(x=x):
                return self.shape(x)
            case Transposed(x=x):
                shape = self.shape(x)
                if len(shape) != 2:
                    vectors = "; for a dot product write dot(a, b)" if len(shape) == 1 else ""
                    raise FormulaError(
                        f"{written(x)} is {in_words(shape)}: “.T” needs a matrix{vectors}.",
                        *node.at,
                    )
                return shape[::-1]
            case Item(x=x, places=places):
                return self.item(node, x, places)
            case Call():
                return self.call(node)
            case Binary(sign="@"):
                return self.product(node)
            case Binary(sign="**", left=Name(name="e"), right=power) if not self.knows("e"):
                raise FormulaError(f"Write this power as exp({written(power)}).", *node.at)
            case Binary():
                return self.combined(node, [node.left, node.right], f"`{node.sign}`")
            case Either():
                raise FormulaError(
                    "“if” only works in draws: write where(condition, one, other).", *node.at
                )
        raise FormulaError("This can’t be used in a formula.", *node.at)

    def knows(self, name: str) -> bool:
        return name in self.scope.shapes or name in self.scope.sizes

    def named(self, node: Name, name: str) -> Shape:
        if name in self.scope.shapes:
            return self.scope.shapes[name]
        if name in self.scope.sizes:
            return ()
        names = [*self.scope.shapes, *self.scope.sizes]
        known, near = ", ".join(names) or "none", nearest(name, names)
        if name in FUNCTIONS:
            raise FormulaError(f"{name} is a function: write {FUNCTIONS[name].example}.", *node.at)
        if number := {"e": "exp(1)", "pi": "3.1416"}.get(name):
            near = f"Write the number as {number}. "
        raise FormulaError(
            f"Nothing before this line is called {name}. {near}The names so far: {known}.", *node.at
        )

    def item(self, node: Node, x: Node, places: tuple[Node, ...]) -> Shape:
        shape = self.shape(x)
        if len(places) > len(shape):
            raise FormulaError(
                f"{written(x)} is {in_words(shape)}, so its brackets hold too many places.",
                *node.at,
            )
        left: list[Length] = []
        for place, length in zip(places, shape, strict=False):
            match place:
                case Span(start=start, stop=stop):
                    count = len(range(length)[start:stop])
                    if not count:
                        raise FormulaError("This span is empty.", *place.at)
                    left.append(Length(count, length.size if count == length else ""))
                case Number(value=value):
                    if not -length <= value < length:
                        raise FormulaError(
                            f"The places of {written(x)} go from 0 to {length - 1}.", *place.at
                        )
                case Name(name=name):
                    self.word(place, name, x, length)
        return (*left, *shape[len(places) :])

    def word(self, place: Node, name: str, x: Node, length: Length) -> None:
        if name not in self.scope.words:
            raise FormulaError(
                f"Within square brackets the places are numbers, counted from 0: {written(x)}[0].",
                *place.at,
            )
        if self.scope.shapes[name] != (length,):
            raise FormulaError(
                f"{name} is one of {self.scope.shapes[name][0]} words, but {written(x)} has length "
                f"{length}.",
                *place.at,
            )

    def call(self, node: Call) -> Shape:
        function = FUNCTIONS.get(node.function)
        if not function:
            raise self.no_function(node)
        shapes = [self.shape(argument) for argument in node.arguments]
        try:
            return function.shape(node, shapes, self.scope.sizes)
        except FormulaError as error:
            raise FormulaError(str(error), *node.at) from None

    def no_function(self, node: Call) -> FormulaError:
        name = node.function
        if self.knows(name):
            inside = ", ".join(map(written, node.arguments))
            return FormulaError(
                f"{name} isn’t a function: to multiply, write {name} * ({inside}); to take a part, "
                f"{name}[0].",
                *node.at,
            )
        if name in DRAWS:
            return FormulaError(
                f"{name} is a draw, and a given has a colon: a: {name}(…).", *node.at
            )
        told = no_function(name) or nearest(name, NAMES).strip()
        if instead := function_instead(name):
            parts = dict(zip("xy", node.arguments, strict=False))
            told = f"Write {written(substituted(parse(instead), parts))}."
        told = told or f"The functions: {', '.join(NAMES)}."
        return FormulaError(f"There’s no function {name}. {told}", *node.at)

    def product(self, node: Binary) -> Shape:
        left, right = self.shape(node.left), self.shape(node.right)
        if not left or not right:
            raise FormulaError("`@` multiplies vectors and matrices; write `*`.", *node.at)
        if left[-1] != right[-2 if len(right) == 2 else -1]:
            needs = f"{left[-1]} {'row' if len(right) == 2 else 'place'}"
            needs += "" if left[-1] == 1 else "s"
            raise FormulaError(
                f"{written(node.left)} is {in_words(left)}, "
                f"{written(node.right)} is {in_words(right)}: `@` needs {needs}.",
                *node.at,
            )
        return (*left[:-1], *(right[1:] if len(right) == 2 else ()))

    def combined(self, node: Node, parts: list[Node], sign: str) -> Shape:
        shapes = [self.shape(part) for part in parts]
        try:
            return broadcast(*shapes)
        except ValueError:
            each = ", ".join(
                f"{written(part)} is {in_words(shape)}"
                for part, shape in zip(parts, shapes, strict=True)
            )
            arrays = sign == "`*`" and all(shapes) and max(map(len, shapes)) == 2
            product = "; for a matrix product write `@`" if arrays else ""
            raise FormulaError(f"{each}: {sign} needs the same shape{product}.", *node.at) from None
