"""Formulas as trees: a small, pure part of NumPy's notation, read by Python's own parser.

Nothing is executed. The parser's nodes are copied, kind by kind, to those below; whatever is not
listed here is refused in a sentence.
"""

import ast
import operator
import re
import warnings
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields

from attention_core.errors import FormulaError
from attention_core.formulas.hints import called, decimal_comma, instead_of, why_unread

# Counted on characters, before Python's parser sees a text.
MAX_LINE = 500
MAX_DEPTH = 40
MAX_DIGITS = 15
MAX_NODES = 300

_NAME = re.compile("[A-Za-z][A-Za-z0-9_]*")
_NUMBER = re.compile(r"([0-9]+\.?[0-9]*|\.[0-9]+)([eE][-+]?[0-9]+)?")
# Quotes, braces, “#” and a backslash would open parts of Python that no formula needs.
_NO_PART = re.compile(r"[^A-Za-z0-9_ +\-*/@<>=!()\[\],:.]")

# Their functions stand alone in formulas.
_MODULES = frozenset(["np", "numpy", "math", "torch", "scipy", "tf", "jnp", "statistics"])

ARITHMETIC = {
    ast.Add: "+",
    ast.Sub: "-",
    ast.Mult: "*",
    ast.Div: "/",
    ast.MatMult: "@",
    ast.Pow: "**",
}
COMPARISONS = {
    ast.Eq: "==",
    ast.NotEq: "!=",
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
}


@dataclass(frozen=True, slots=True)
class Node:
    """A part of a formula; `at` is its line and column, counted from 1."""

    at: tuple[int, int] = field(default=(0, 0), compare=False, kw_only=True, repr=False)


@dataclass(frozen=True, slots=True)
class Number(Node):
    """A number as it is written."""

    value: float


@dataclass(frozen=True, slots=True)
class Name(Node):
    """A given, an earlier step, a size, or a word."""

    name: str


@dataclass(frozen=True, slots=True)
class Minus(Node):
    """The negative of x."""

    x: Node


@dataclass(frozen=True, slots=True)
class Binary(Node):
    """Two operands and the sign between them, such as `@` or `<=`."""

    sign: str
    left: Node
    right: Node


@dataclass(frozen=True, slots=True)
class Transposed(Node):
    """`x.T`."""

    x: Node


@dataclass(frozen=True, slots=True)
class Span(Node):
    """`start:stop` within square brackets; None where nothing is written."""

    start: int | None
    stop: int | None


@dataclass(frozen=True, slots=True)
class Item(Node):
    """`x[...]`: each place is a whole number, a word's name or a span."""

    x: Node
    places: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Call(Node):
    """A function of its arguments, and of options such as `axis`."""

    function: str
    arguments: tuple[Node, ...]
    options: tuple[tuple[str, Node], ...] = ()

    def option(self, name: str) -> Node | None:
        """Return an option's value; None if it is not given."""
        return dict(self.options).get(name)


@dataclass(frozen=True, slots=True)
class Either(Node):
    """`one if condition else other`, in draws alone."""

    one: Node
    condition: Node
    other: Node


# The names of what a node holds, by its kind.
_PARTS: dict[type[Node], tuple[str, ...]] = {
    kind: tuple(each.name for each in fields(kind) if each.name != "at")
    for kind in (Number, Name, Minus, Binary, Transposed, Span, Item, Call, Either)
}


def parse(text: str, line: int = 1, column: int = 1) -> Node:
    """Return the tree of an expression that begins at this line and column of a text.

    Raises:
        FormulaError: what is not understood, or too long, too deep or too large.

    >>> parse("Q @ K.T").sign
    '@'
    """
    _check_bounds(text, line, column)
    column += len(text) - len(text.lstrip())
    text = text.strip()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            body = ast.parse(text, mode="eval").body
    except (SyntaxError, ValueError, MemoryError, RecursionError) as error:
        if known := why_unread(text):
            raise FormulaError(known[0], line, column + known[1]) from None
        place = getattr(error, "offset", None) or 1
        raise FormulaError(
            "This doesn’t read as a formula: look for a sign, a bracket or a name that’s missing.",
            line,
            column + place - 1,
        ) from None
    tree = _Reader(text, line, column).read(body)
    if sum(1 for _ in walk(tree)) > MAX_NODES:
        raise FormulaError(
            f"This formula has over {MAX_NODES} parts; split it into steps.", line, column
        )
    return tree


def shown(character: str) -> str:
    r"""Return a character within a sentence; its number where it can't be seen, or be stored.

    >>> shown("ж"), shown("\ud800")
    ('“ж”', 'U+D800')
    """
    return f"“{character}”" if character.isprintable() else f"U+{ord(character):04X}"


def _check_bounds(text: str, line: int, column: int) -> None:
    if len(text) > MAX_LINE:
        raise FormulaError(f"This line has over {MAX_LINE} characters; split it.", line, column)
    if not text.strip():
        raise FormulaError("There’s nothing here to compute.", line, column)
    if strange := _NO_PART.search(text):
        character, instead = strange[0], instead_of(strange[0], text, strange.start())
        why = f"can’t be used in a formula{': ' if instead else ''}{instead}."
        if not character.isascii():
            instead = instead or "type names with A–Z, a–z, 0–9 and _"
            why = f"isn’t a plain character: {instead}."
        raise FormulaError(f"{shown(character)} {why}", line, column + strange.start())
    depth = 0
    for place, character in enumerate(text):
        depth += (character in "([{") - (character in ")]}")
        if depth > MAX_DEPTH:
            raise _too_deep(line, column + place)
    # Each sign of a run nests one deeper too.
    if run := re.search(rf"(?:[-+~]\s*){{{MAX_DEPTH + 1}}}", text):
        raise _too_deep(line, column + run.start())
    if digits := re.search(rf"[0-9][0-9._eE]{{{MAX_DIGITS}}}", text):
        raise FormulaError(
            f"A number can have at most {MAX_DIGITS} digits.", line, column + digits.start()
        )


def _too_deep(line: int, column: int) -> FormulaError:
    return FormulaError(
        f"This is nested more than {MAX_DEPTH} deep; split it into steps.", line, column
    )


class _Reader:
    """Copies the parser's nodes, and refuses those that no formula may have."""

    def __init__(self, text: str, line: int, column: int) -> None:
        self.text, self.line, self.column, self.depth = text, line, column, 0

    def read(self, node: ast.AST) -> Node:
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise _too_deep(*self.place(node))
        try:
            return self._read(node)
        finally:
            self.depth -= 1

    def place(self, node: ast.AST) -> tuple[int, int]:
        return self.line, self.column + getattr(node, "col_offset", 0)

    def fault(self, message: str, node: ast.AST) -> FormulaError:
        return FormulaError(message, *self.place(node))

    def _read(self, node: ast.AST) -> Node:
        at = self.place(node)
        match node:
            case ast.Constant(value=int() | float() as value) if not isinstance(value, bool):
                if not _NUMBER.fullmatch(self.text[node.col_offset : node.end_col_offset]):
                    raise self.fault("Write a number such as 12, 0.5 or 1e-3.", node)
                if not abs(value) < 1e15:
                    raise self.fault("This number is too large.", node)
                return Number(float(value), at=at)
            case ast.Name(id=name):
                return Name(self.name(name, node), at=at)
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                x = self.read(operand)
                return Number(-x.value, at=at) if isinstance(x, Number) else Minus(x, at=at)
            case ast.UnaryOp(op=ast.UAdd(), operand=operand):
                return self.read(operand)
            case ast.BinOp(left=left, op=op, right=right) if type(op) in ARITHMETIC:
                return Binary(ARITHMETIC[type(op)], self.read(left), self.read(right), at=at)
            case ast.Compare(left=left, ops=[op], comparators=[right]) if type(op) in COMPARISONS:
                return Binary(COMPARISONS[type(op)], self.read(left), self.read(right), at=at)
            case ast.Compare(ops=[_, _, *_]):
                raise self.fault("Compare two things at a time; write a second line.", node)
            case ast.Attribute(value=value, attr="T"):
                return Transposed(self.read(value), at=at)
            case ast.Attribute(attr=attribute):
                raise self.fault(f"“.{attribute}” can’t be used here; only “.T” can.", node)
            case ast.Subscript(value=value, slice=places):
                if isinstance(places, ast.Tuple) and not places.elts:
                    raise self.fault("Within square brackets write at least one place.", node)
                parts = places.elts if isinstance(places, ast.Tuple) else [places]
                return Item(self.read(value), tuple(self.index(part) for part in parts), at=at)
            case ast.Call(func=ast.Name(id=name), args=arguments, keywords=options):
                for place, option in enumerate(options):
                    if option.arg in [earlier.arg for earlier in options[:place]]:
                        raise self.fault(f"{option.arg} appears twice; keep one.", option.value)
                return Call(
                    self.name(name, node),
                    tuple(self.read(argument) for argument in arguments),
                    tuple((self.option(each), self.read(each.value)) for each in options),
                    at=at,
                )
            case ast.Call(func=function):
                raise self.fault(self.not_called(node, function), node)
            case ast.IfExp(test=test, body=one, orelse=other):
                return Either(self.read(one), self.read(test), self.read(other), at=at)
        if isinstance(node, ast.Tuple) and (comma := decimal_comma(self.text)):
            raise FormulaError(comma[0], self.line, self.column + comma[1])
        raise self.fault(_refused(node), node)

    def not_called(self, node: ast.Call, function: ast.expr) -> str:
        """Return what to write instead of a method, or of a product without its sign."""
        bracket = self.text.index("(", function.end_col_offset)
        inside = self.text[bracket + 1 : node.end_col_offset][:-1].strip()
        before = self.text[node.col_offset : bracket].strip()
        if not isinstance(function, ast.Attribute):
            return f"There’s no sign before this bracket: write {before} * ({inside}) to multiply."
        owner = before.rpartition(".")[0]
        if owner.partition(".")[0] not in _MODULES:
            inside = ", ".join(filter(None, [owner, inside]))
        if instead := called(function.attr, inside):
            return f"Functions stand alone here: write {instead}."
        return f"“.{function.attr}” can’t be used here; only “.T” can."

    def option(self, keyword: ast.keyword) -> str:
        if keyword.arg is None:
            raise self.fault("“**” can’t come before a name here.", keyword.value)
        return keyword.arg

    def index(self, node: ast.AST) -> Node:
        at = self.place(node)
        match node:
            case ast.Slice(lower=lower, upper=upper, step=None):
                return Span(self.bound(lower), self.bound(upper), at=at)
            case ast.Slice():
                raise self.fault("A span has only a start and a stop, such as 0:2.", node)
            case ast.Name(id=name):
                return Name(self.name(name, node), at=at)
        place = self.bound(node)
        return Number(float(place or 0), at=at)

    def bound(self, node: ast.AST | None) -> int | None:
        if node is None:
            return None
        number = self.read(node)
        if not isinstance(number, Number) or number.value != int(number.value):
            raise self.fault("Within square brackets write whole numbers or a word’s name.", node)
        return int(number.value)

    def name(self, name: str, node: ast.AST) -> str:
        if not _NAME.fullmatch(name):
            raise self.fault(f"“{name}” can’t be a name: begin it with a letter.", node)
        return name


def _refused(node: ast.AST) -> str:
    """Return what an author reads of a node that is refused."""
    told = {
        ast.Lambda: "“lambda”",
        ast.List: "A list",
        ast.Tuple: "A comma outside a function",
        ast.Starred: "“*” in front of a name",
        ast.BinOp: "This sign",
        ast.UnaryOp: "This sign",
        ast.Compare: "This sign",
    }
    what = told.get(type(node), "This")
    match node:
        case ast.BoolOp(op=ast.And()):
            return "“and” can’t be used here: write two “keep” lines, or (a > 1) * (b > 1)."
        case ast.BoolOp():
            return "“or” can’t be used here: write (a > 1) + (b > 1) >= 1."
        case ast.Constant(value=None | True | False as value):
            what = f"“{value}”"
    return f"{what} can’t be used in a formula."


def children(node: Node) -> Iterator[Node]:
    """Yield the parts of a node that are nodes themselves.

    >>> [part.name for part in children(parse("a + b"))]
    ['a', 'b']
    """
    for name in _PARTS[type(node)]:
        yield from _nodes(getattr(node, name))


def _nodes(value: object) -> Iterator[Node]:
    if isinstance(value, Node):
        yield value
    elif isinstance(value, tuple):
        for part in value:
            yield from _nodes(part)


def walk(node: Node) -> Iterator[Node]:
    """Yield a node and all its parts, the node first.

    >>> len([*walk(parse("a + b * c"))])
    5
    """
    yield node
    for child in children(node):
        yield from walk(child)


def names_in(node: Node) -> set[str]:
    """Return all names that a formula reads.

    >>> sorted(names_in(parse("softmax(Q @ K.T)")))
    ['K', 'Q']
    """
    return {part.name for part in walk(node) if isinstance(part, Name)}


def replaced(node: Node, old: Node, new: Node, *, deep: bool = True) -> Node:
    """Return the formula with one part, that very object, replaced by another.

    Args:
        deep: whether the part is looked for in parts of parts.

    >>> tree = parse("a + b")
    >>> replaced(tree, tree.right, Name("c")) == parse("a + c")
    True
    """
    if node is old:
        return new
    parts = {name: getattr(node, name) for name in _PARTS[type(node)]}
    changed = {name: _replaced(value, old, new, deep=deep) for name, value in parts.items()}
    # What doesn't hold the part stays the very object it was.
    if all(changed[name] is value for name, value in parts.items()):
        return node
    return type(node)(**changed, at=node.at)


def substituted(node: Node, parts: Mapping[str, Node]) -> Node:
    """Return the formula with some of its names replaced by other parts.

    >>> substituted(parse("a + b"), {"a": parse("c * d")}) == parse("c * d + b")
    True
    """
    for part in [*walk(node)]:
        if isinstance(part, Name) and part.name in parts:
            node = replaced(node, part, parts[part.name])
    return node


def _replaced(value: object, old: Node, new: Node, *, deep: bool) -> object:
    if isinstance(value, Node):
        if not deep:
            return new if value is old else value
        return replaced(value, old, new)
    if isinstance(value, tuple):
        changed = tuple(_replaced(part, old, new, deep=deep) for part in value)
        return value if all(map(operator.is_, changed, value)) else changed
    return value
