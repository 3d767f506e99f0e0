"""Formulas as text: in the notation they're written in, and as NumPy that runs."""

from collections.abc import Callable

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
)

# How closely a sign binds, as in Python.
_COMPARED, _ADDED, _MULTIPLIED, _NEGATED, _RAISED, _WHOLE = range(6)
STRENGTH = {"+": _ADDED, "-": _ADDED, "*": _MULTIPLIED, "/": _MULTIPLIED, "@": _MULTIPLIED}
STRENGTH |= {"**": _RAISED}

type Spell = Callable[[Call, list[str]], str]
type Named = Callable[[str], str]


def _as_written(call: Call, arguments: list[str]) -> str:
    options = [f"{name}={written(value)}" for name, value in call.options]
    return f"{call.function}({', '.join([*arguments, *options])})"


def written(node: Node, spell: Spell = _as_written, name: Named = str) -> str:
    """Return the formula's text, with as few brackets as it needs.

    Args:
        spell: writes a function with its arguments' texts.
        name: writes a name.

    >>> from attention_core.formulas.trees import parse
    >>> written(parse("(Q @ (K.T)) / sqrt(d_k)"))
    'Q @ K.T / sqrt(d_k)'
    """
    return _Writer(spell, name).text(node)


class _Writer:
    def __init__(self, spell: Spell, name: Named) -> None:
        self.spell, self.name = spell, name

    def text(self, node: Node, least: int = _COMPARED) -> str:
        """Return a part's text, in brackets if its sign binds less closely than `least`."""
        text, strength = self.part(node)
        return f"({text})" if strength < least else text

    def part(self, node: Node) -> tuple[str, int]:
        match node:
            case Number(value=value):
                return f"{value:.15g}", _NEGATED if value < 0 else _WHOLE
            case Name(name=name):
                return self.name(name), _WHOLE
            case Minus(x=x):
                return f"-{self.text(x, _NEGATED)}", _NEGATED
            case Transposed(x=x):
                return f"{self.text(x, _WHOLE)}.T", _WHOLE
            case Item(x=x, places=places):
                inside = ", ".join(self.place(place) for place in places)
                return f"{self.text(x, _WHOLE)}[{inside}]", _WHOLE
            case Call(arguments=arguments):
                return self.spell(node, [self.text(each) for each in arguments]), _WHOLE
            case Either(one=one, condition=condition, other=other):
                parts = (self.text(each) for each in (one, condition, other))
                return "{} if {} else {}".format(*parts), -1
            case Binary(sign=sign, left=left, right=right):
                own = STRENGTH.get(sign, _COMPARED)
                # Signs of one strength are read from the left; powers from the right.
                before, after = (own + 1, own) if sign == "**" else (own, own + 1)
                before += own == _COMPARED  # Python would chain comparisons
                sides = self.text(left, before), self.text(right, after)
                return f"{sides[0]} {sign} {sides[1]}", own
        raise TypeError(node)

    def place(self, place: Node) -> str:
        if isinstance(place, Span):
            start, stop = ("" if end is None else str(end) for end in (place.start, place.stop))
            return f"{start}:{stop}"
        return self.text(place)
