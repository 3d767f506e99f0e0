"""Known mistakes, found by rewriting a formula: a rule turns a part into what students do.

A rule is a function of a part and of what is known of the names. It yields wrong parts with their
feedback, under the shipped key of the mistake. Rules lie in `rules/`.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from string import digits
from types import MappingProxyType

from attention_core.errors import FormulaError
from attention_core.formulas.lengths import Shape
from attention_core.formulas.shapes import Scope, infer
from attention_core.formulas.symbols import latex, symbol
from attention_core.formulas.trees import (
    Binary,
    Call,
    Name,
    Node,
    Transposed,
    children,
    replaced,
    walk,
)


@dataclass(frozen=True)
class Found:
    """A mistake found: its key, the step's wrong formula, the feedback, and when it shows."""

    key: str
    tree: Node
    feedback: str
    condition: Node | None = None


@dataclass(frozen=True)
class Known:
    """A formula as rules know it.

    Attributes:
        scope: the names before it.
        weights: those that hold weights which sum to 1.
        whole: the whole formula.
        earlier: the formulas of earlier steps by name.
        of_words: whether the problem is about the words of a sentence, or a part of the model.
    """

    scope: Scope
    weights: frozenset[str]
    whole: Node
    earlier: Mapping[str, Node] = field(default_factory=dict)
    of_words: bool = True
    known_alike: dict[str, list[Name]] = field(default_factory=dict)
    unfit: dict[int, Node] = field(default_factory=dict)

    def defined(self, node: Node) -> Node:
        """Return the formula behind the name of an earlier step; any other part as it is."""
        return self.earlier.get(node.name, node) if isinstance(node, Name) else node

    def rank(self, node: Node) -> int:
        """Return a part's number of axes; −1 if its shapes don't fit at the default sizes."""
        shape = self.shape(node)
        return -1 if shape is None else len(shape)

    def shape(self, node: Node) -> Shape | None:
        """Return a part's shape; None if its operands don't fit at the default sizes."""
        if id(node) in self.unfit:
            return None
        try:
            return infer(node, self.scope)
        except FormulaError:
            self.unfit[id(node)] = node
            return None

    def latex(self, node: Node) -> str:
        """Return a part as LaTeX within a sentence."""
        return f"${latex(node, self.scope)}$"

    def count(self, x: Node) -> str:
        """Return how many numbers a vector has, as LaTeX: the symbol of its size, if it has one."""
        length = infer(x, self.scope)[-1]
        return symbol(length.size) if length.size else str(length)

    def is_weights(self, node: Node) -> bool:
        """Return whether a part's rows are weights that sum to 1."""
        return is_call(node, "softmax") or (isinstance(node, Name) and node.name in self.weights)

    def alike(self, node: Node) -> list[Name]:
        """Return the other names of the same shape: like-named ones first, then the nearest."""
        if not isinstance(node, Name):
            return []
        if node.name not in self.known_alike:
            self.known_alike[node.name] = self.new_alike(node)
        return self.known_alike[node.name]

    def new_alike(self, node: Name) -> list[Name]:
        sizes = self.scope.sizes.keys() - self.scope.shapes.keys()
        shapes = {**self.scope.shapes, **dict.fromkeys(sorted(sizes), ())}
        if node.name not in shapes:
            return []
        own, places = shapes[node.name], [*shapes]

        def unlikeness(name: str) -> tuple[bool, int, int, int]:
            stems = [each.rstrip(digits) for each in (name, node.name)]
            unlike = 0 if stems[0] == stems[1] else 1 if name[0] == node.name[0] else 2
            return (
                [getattr(length, "size", "") for length in shapes[name]]
                != [getattr(length, "size", "") for length in own],
                unlike,
                abs(places.index(name) - places.index(node.name)),
                -places.index(name),
            )

        names = {name for name, shape in shapes.items() if shape == own} - {node.name}
        return [Name(name) for name in sorted(names - self.scope.words, key=unlikeness)]

    def query_and_keys(self, weights: Node) -> tuple[Node | None, Node | None]:
        """Return the queries and keys whose softmax the weights are, as far as steps show them."""
        node = self.defined(weights)
        for _ in range(8):
            match node:
                case Call(function="softmax" | "mask", arguments=[x, *_]):
                    node = self.defined(x)
                case Binary(sign=("/" | "*"), left=left, right=right):
                    node = self.defined(left if self.rank(left) else right)
                case Binary(sign="@", left=Q, right=Transposed(x=K)):
                    return Q, K
                case Binary(sign="@", left=K, right=q) if self.rank(q) == 1:
                    return q, K
        return None, None


# A key, the wrong part and the feedback; then, if need be, the condition under which it shows.
type Wrong = Iterator[tuple[str, Node, str] | tuple[str, Node, str, Node]]
type Rule = Callable[[Node, Known], Wrong]


def find(
    tree: Node,
    scope: Scope,
    weights: frozenset[str],
    rules: Iterable[Rule],
    earlier: Mapping[str, Node] = MappingProxyType({}),
    *,
    of_words: bool = True,
) -> list[Found]:
    """Return the mistakes of a step, the first of each key.

    Whether their shapes fit, and whether one can tell them apart, depends on sizes and numbers.
    `uniform` and `hard_max` come with every softmax and every blend.

    >>> from attention_core.formulas.trees import parse
    >>> scope = Scope({"x": (3,), "W": (3, 2), "b": (2,)})
    >>> from attention_core.formulas.rules import RULES
    >>> [found.key for found in find(parse("x @ W + b"), scope, frozenset(), RULES)]
    ['column_vectors', 'not_projected', 'signs_dropped', 'no_bias', 'activated_early']
    """
    known = Known(scope, weights, tree, earlier, of_words)
    found: dict[str, Found] = {}
    parts = [*walk(tree)]
    above = {id(child): part for part in parts for child in children(part)}
    for each in rules:
        for part in parts:
            for key, wrong, feedback, *condition in each(part, known):
                # Whether it shows has to be one truth value; a vector of widths has several.
                shows = all(known.rank(each) == 0 for each in condition)
                if key in found or not shows:
                    continue
                if wrong != part:
                    rewritten = _rewritten(part, wrong, above)
                    found[key] = Found(key, rewritten, feedback, *condition)
    return [*found.values()]


def _rewritten(part: Node, wrong: Node, above: Mapping[int, Node]) -> Node:
    """Return the whole formula with a part replaced; `above` has what each part belongs to."""
    while id(part) in above:
        whole = above[id(part)]
        part, wrong = whole, replaced(whole, part, wrong, deep=False)
    return wrong


def is_call(node: Node, *names: str) -> bool:
    """Return whether a part calls one of these functions.

    >>> is_call(Call("exp", ()), "exp", "log")
    True
    """
    return isinstance(node, Call) and node.function in names


def call(name: str, *arguments: Node) -> Call:
    """Return a call of a function.

    >>> call("exp", Name("x")).arguments
    (Name(name='x'),)
    """
    return Call(name, arguments)


def along(node: Call, name: str, x: Node) -> Call:
    """Return the call of another function along the axis of this one.

    >>> from attention_core.formulas.trees import parse
    >>> along(parse("softmax(x, axis=0)"), "max", Name("y")).options
    (('axis', Number(value=0.0)),)
    """
    return Call(name, (x, *node.arguments[1:]), node.options)


def is_product(node: Node) -> bool:
    """Return whether a part is a product of vectors or matrices.

    >>> from attention_core.formulas.trees import parse
    >>> is_product(parse("x @ W")), is_product(parse("x * W"))
    (True, False)
    """
    return isinstance(node, Binary) and node.sign == "@"
