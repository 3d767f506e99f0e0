"""Known mistakes, found by rewriting a formula: a rule turns a part into what students do.

A rule is a function of a part and of what is known of the names. It yields wrong parts with their
feedback, under the shipped key of the mistake. Rules lie in `rules/`.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from attention_core.errors import FormulaError
from attention_core.formulas.shapes import Scope, infer
from attention_core.formulas.symbols import latex
from attention_core.formulas.trees import Call, Name, Node, replaced, walk


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
    """

    scope: Scope
    weights: frozenset[str]
    whole: Node

    def rank(self, node: Node) -> int:
        """Return a part's number of axes; −1 if its shapes don't fit at the default sizes."""
        try:
            return len(infer(node, self.scope))
        except FormulaError:
            return -1

    def latex(self, node: Node) -> str:
        """Return a part as LaTeX within a sentence."""
        return f"${latex(node, self.scope)}$"

    def is_weights(self, node: Node) -> bool:
        """Return whether a part's rows are weights that sum to 1."""
        return is_call(node, "softmax") or (isinstance(node, Name) and node.name in self.weights)

    def alike(self, node: Node) -> Iterator[Name]:
        """Yield the other names of the same shape, the latest first."""
        if isinstance(node, Name) and node.name in self.scope.shapes:
            own = self.scope.shapes[node.name]
            for name, shape in reversed([*self.scope.shapes.items()]):
                if name != node.name and shape == own and name not in self.scope.words:
                    yield Name(name)


# A key, the wrong part and the feedback; then, if need be, the condition under which it shows.
type Wrong = Iterator[tuple[str, Node, str] | tuple[str, Node, str, Node]]
type Rule = Callable[[Node, Known], Wrong]


def find(tree: Node, scope: Scope, weights: frozenset[str], rules: Iterable[Rule]) -> list[Found]:
    """Return the mistakes of a step, the first of each key.

    Whether their shapes fit, and whether one can tell them apart, depends on sizes and numbers.
    `uniform` and `hard_max` come with every softmax and every blend.

    >>> from attention_core.formulas.trees import parse
    >>> scope = Scope({"x": (3,), "W": (3, 2), "b": (2,)})
    >>> from attention_core.formulas.rules import RULES
    >>> [found.key for found in find(parse("x @ W + b"), scope, frozenset(), RULES)]
    ['column_vectors', 'signs_dropped', 'no_bias']
    """
    known = Known(scope, weights, tree)
    found: dict[str, Found] = {}
    parts = [*walk(tree)]
    for each in rules:
        for part in parts:
            for key, wrong, feedback, *condition in each(part, known):
                if key not in found and (rewritten := replaced(tree, part, wrong)) != tree:
                    found[key] = Found(key, rewritten, feedback, *condition)
    return [*found.values()]


def _is_call(node: Node, *names: str) -> bool:
    return isinstance(node, Call) and node.function in names


def _call(name: str, *arguments: Node) -> Call:
    return Call(name, arguments)


def _along(node: Call, name: str, x: Node) -> Call:
    """Return the call of another function along the same axis."""
    return Call(name, (x, *node.arguments[1:]), node.options)


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
