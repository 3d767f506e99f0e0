"""Formulas as LaTeX, in the lessons' notation."""

import re
from collections.abc import Mapping

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
from attention_core.formulas.written import STRENGTH
from attention_core.problems.latex import number

GREEK = frozenset((
    "alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta", "kappa", "lambda", "mu",
    "nu", "xi", "pi", "rho", "sigma", "tau", "phi", "chi", "psi", "omega",
))  # fmt: skip
# The letters that the lessons give to the usual steps.
LETTERS = {"scores": "S", "scaled": "S'", "weights": "A", "output": "Z"}
_COMMAND = re.compile(r"\\[A-Za-z]+$")
# How closely what a function prints binds, and its arguments have to; as STRENGTH counts.
_OWN: Mapping[str, float] = {"sum": 1.5, "outer": 2, "exp": 4, "split": 4}
_INSIDE: Mapping[str, float] = {"sum": 1.5, "outer": 3, "split": 5}
_SIGNS = {"==": "=", "!=": r"\ne", "<": "<", "<=": r"\le", ">": ">", ">=": r"\ge"}


def symbol(name: str) -> str:
    r"""Return a name's symbol.

    >>> symbol("W_1"), symbol("d_k"), symbol("sigma"), symbol("weights"), symbol("logits")
    ('W_1', 'd_k', '\\sigma', 'A', '\\mathrm{logits}')
    >>> symbol("W_out"), symbol("d_head_1")
    ('W_{\\text{out}}', 'd_{\\text{head},\\,1}')
    """
    if name in LETTERS:
        return LETTERS[name]
    first, *others = name.split("_")
    stem = _letters(first, "mathrm")
    below = [_letters(part, "text") for part in others]
    if not any(below):
        return stem
    inside = r",\,".join(below)
    return f"{stem}_{inside}" if len(inside) == 1 else f"{stem}_{{{inside}}}"


def _letters(part: str, upright: str) -> str:
    """Return a part of a name: a Greek letter, a number, a letter, or an upright word."""
    if part in GREEK:
        return f"\\{part}"
    return part if len(part) < 2 or part.isdigit() else rf"\{upright}{{{part}}}"


def cell_name(name: str, rank: int) -> str:
    r"""Return the symbol of an array's first cell.

    >>> cell_name("weights", 2), cell_name("z", 1), cell_name("score", 0)
    ('a_{11}', 'z_1', '\\mathrm{score}')
    """
    letter = symbol(name)
    if not rank:
        return letter
    letter = letter.rstrip("'")
    letter = letter.lower() if len(letter) == 1 else letter
    places = "1" if rank == 1 else "{11}"
    return f"({letter})_{places}" if "_" in letter else f"{letter}_{places}"


def latex(node: Node, scope: Scope) -> str:
    r"""Return a formula's LaTeX.

    >>> from attention_core.formulas.trees import parse
    >>> scope = Scope({"Q": (2, 3), "K": (2, 3), "d_k": ()})
    >>> latex(parse("softmax(Q @ K.T / sqrt(d_k))"), scope)
    '\\mathrm{softmax}\\left(\\frac{QK^\\top}{\\sqrt{d_k}}\\right)'
    """
    return _Writer(scope).text(node)


class _Writer:
    def __init__(self, scope: Scope) -> None:
        self.scope = scope

    def text(self, node: Node, least: float = -1) -> str:
        text, strength = self.part(node)
        return rf"\left({text}\right)" if strength < least else text

    def right(self, node: Node, least: float) -> str:
        """Return a part to the right of a sign: in brackets too where a minus would follow it."""
        text = self.text(node, least)
        return rf"\left({text}\right)" if text.startswith("-") else text

    def part(self, node: Node) -> tuple[str, float]:
        known = self.scope.printed.get(id(node))
        if not known:
            known = self.scope.printed[id(node)] = node, self.new(node)
        text: tuple[str, float] = known[1]
        return text

    def new(self, node: Node) -> tuple[str, float]:
        match node:
            case Number(value=value):
                return number(value), 3 if value < 0 else 5
            case Name(name=name):
                return symbol(name), 5
            case Minus(x=x):
                return f"-{self.right(x, 1.5)}", 3
            case Transposed(x=x):
                return rf"{self.text(x, 5)}^\top", 4
            case Item(x=x, places=places):
                inside = r",\,".join(self.place(place) for place in places)
                return f"{{{self.text(x, 5)}}}_{{{inside}}}", 5
            case Call():
                return self.call(node)
            case Binary(sign="/", left=left, right=right):
                return rf"\frac{{{self.text(left)}}}{{{self.text(right)}}}", 4
            case Binary(sign="**", left=left, right=right):
                return f"{self.text(left, 5)}^{{{self.text(right)}}}", 4
            case Binary(sign="@", left=left, right=right):
                flat = len(infer(left, self.scope)) == len(infer(right, self.scope)) == 1
                before = self.text(left, 2)
                # Without a blank “\alpha K” would be one command.
                between = r" \cdot " if flat else " " if _COMMAND.search(before) else ""
                return f"{before}{between}{self.right(right, 3)}", 2
            case Binary(sign="*", left=left, right=right):
                ranks = len(infer(left, self.scope)), len(infer(right, self.scope))
                between = r" \odot " if min(ranks) else r" \cdot "
                return f"{self.text(left, 2)}{between}{self.right(right, 3)}", 2
            case Binary(sign=sign, left=left, right=right):
                own = STRENGTH.get(sign, 0)
                sign = _SIGNS.get(sign, sign)
                return f"{self.text(left, own or 0.5)} {sign} {self.right(right, own + 0.5)}", own
        return "", 5

    def place(self, place: Node) -> str:
        match place:
            case Span(start=start, stop=stop):
                ends = ("" if end is None else str(end) for end in (start, stop))
                return ":".join(ends)
            case Number(value=value):
                return f"{value:g}"
        return self.text(place)

    def call(self, node: Call) -> tuple[str, float]:
        name = node.function
        if name == "dot":
            return self.part(Binary("@", *node.arguments))
        arguments = [self.text(argument, _INSIDE.get(name, -1)) for argument in node.arguments]
        pattern = self.along(node)
        # Brackets around a fraction have to grow.
        if any(r"\frac" in argument for argument in arguments):
            pattern = re.sub(r"^(\\.*?)\((.*)\)$", r"\1\\left(\2\\right)", pattern)
        found = pattern.format(*arguments, all=r",\, ".join(arguments))
        return found, _OWN.get(name, 5)

    def along(self, node: Call) -> str:
        """Return a function's pattern, with the index it runs over if a matrix has another one."""
        function = FUNCTIONS[node.function]
        rank = len(infer(node.arguments[0], self.scope)) if function.over else 0
        axes = axes_of(node, rank) if rank == 2 else ()
        if len(axes) != 1 or (function.over == "last" and axes == (-1,)):
            return function.latex
        index = "j" if axes == (-1,) else "i"
        return re.sub(r"(?=\(| )", f"_{index}", function.latex, count=1)
