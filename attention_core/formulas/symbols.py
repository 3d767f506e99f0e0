"""Formulas as LaTeX, in the lessons' notation."""

import re

from attention_core.formulas.functions import FUNCTIONS
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
# Functions written without brackets: how closely they bind, and each argument has to.
_OPEN = {"dot": (2, 2, 3), "outer": (2, 2, 3), "sum": (1, 2), "exp": (4,), "split": (4, 5)}
_SIGNS = {"==": "=", "!=": r"\ne", "<": "<", "<=": r"\le", ">": ">", ">=": r"\ge"}


def symbol(name: str) -> str:
    r"""Return a name's symbol.

    >>> symbol("W_1"), symbol("d_k"), symbol("sigma"), symbol("weights"), symbol("logits")
    ('W_1', 'd_k', '\\sigma', 'A', '\\mathrm{logits}')
    """
    if name in LETTERS:
        return LETTERS[name]
    stem, _, below = name.partition("_")
    if stem in GREEK:
        stem = f"\\{stem}"
    elif len(stem) > 1:
        stem = rf"\mathrm{{{stem}}}"
    if not below:
        return stem
    below = below.replace("_", r",\,")
    return f"{stem}_{below}" if len(below) == 1 else f"{stem}_{{{below}}}"


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

    def text(self, node: Node, least: int = -1) -> str:
        text, strength = self.part(node)
        return rf"\left({text}\right)" if strength < least else text

    def part(self, node: Node) -> tuple[str, int]:
        match node:
            case Number(value=value):
                return number(value), 3 if value < 0 else 5
            case Name(name=name):
                return symbol(name), 5
            case Minus(x=x):
                return f"-{self.text(x, 3)}", 3
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
                return f"{before}{between}{self.text(right, 3)}", 2
            case Binary(sign="*", left=left, right=right):
                ranks = len(infer(left, self.scope)), len(infer(right, self.scope))
                between = r" \odot " if min(ranks) else r" \cdot "
                return f"{self.text(left, 2)}{between}{self.text(right, 3)}", 2
            case Binary(sign=sign, left=left, right=right):
                own = STRENGTH.get(sign, 0)
                sign = _SIGNS.get(sign, sign)
                return f"{self.text(left, max(own, 1))} {sign} {self.text(right, own + 1)}", own
        return "", 5

    def place(self, place: Node) -> str:
        match place:
            case Span(start=start, stop=stop):
                ends = ("" if end is None else str(end) for end in (start, stop))
                return ":".join(ends)
            case Number(value=value):
                return f"{value:g}"
        return self.text(place)

    def call(self, node: Call) -> tuple[str, int]:
        own, *least = _OPEN.get(node.function, (5,))
        least += [-1] * (len(node.arguments) - len(least))
        arguments = [*map(self.text, node.arguments, least)]
        template = FUNCTIONS[node.function].latex
        # Brackets around a fraction have to grow.
        if any(r"\frac" in argument for argument in arguments):
            template = re.sub(r"^(\\.*?)\((.*)\)$", r"\1\\left(\2\\right)", template)
        return template.format(*arguments, all=r",\, ".join(arguments)), own
