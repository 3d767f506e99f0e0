"""Hints in errors: what to type instead of what isn't understood."""

import re
from collections.abc import Iterable
from difflib import get_close_matches

# What authors type of other notations, and what it's called here.
_INSTEAD = {
    "^": "write a power as x ** 2",
    "·": "write * between factors",
    "×": "write * between factors",
    "⋅": "write * between factors",
    "÷": "write / to divide",
    "−": "type the keyboard’s minus sign, -",
    "–": "type the keyboard’s minus sign, -",
    "√": "write a root as sqrt(x)",
    "²": "write a square as x ** 2",
    "³": "a power is written x ** 3",
    "ᵀ": "transpose a matrix with K.T",
    "⊤": "transpose a matrix with K.T",
    "≤": "write <=",
    "≥": "write >=",
    "≠": "write !=",
    "Σ": "write a sum as sum(x)",
    "∑": "write a sum as sum(x)",
    "|": "abs(x) is the absolute value, norm(x) a vector’s length",
    "{": "use round brackets",
    "}": "use round brackets",
    "'": "transpose a matrix with K.T",
    "%": "divide by 100 instead",
    ";": "write one formula per line",
    "\\": "write sqrt(x), not LaTeX",
}
_FUNCTIONS = {
    "avg": "mean(x)",
    "average": "mean(x)",
    "ln": "log(x)",
    "std": "sqrt(var(x))",
    "sd": "sqrt(var(x))",
    "variance": "var(x)",
    "pow": "x ** 2",
    "power": "x ** 2",
    "transpose": "K.T",
    "matmul": "Q @ K",
    "len": "the size’s name",
    "maximum": "where(x > y, x, y)",
    "minimum": "where(x < y, x, y)",
    "sigmoid": "1 / (1 + exp(-x))",
    "tanh": "(exp(2 * x) - 1) / (exp(2 * x) + 1)",
    "square": "x ** 2",
    "sum_of": "sum(x)",
    "concatenate": "concat(x, y)",
}
_OPERAND = r"[A-Za-z0-9_.]+"
# A number and what it multiplies, two brackets, or two operands side by side.
_NO_SIGN = re.compile(
    rf"(?<![A-Za-z0-9_.])([0-9]+\.?[0-9]*)\s*([A-Za-z_][A-Za-z0-9_]*|\()"
    rf"|(\))\s*({_OPERAND}|\()|({_OPERAND})\s+({_OPERAND})"
)
_WORDS = frozenset(["if", "else", "and", "or", "not", "in", "is", "for", "lambda"])


def instead_of(character: str) -> str:
    """Return what to type instead of a character; "" where nothing stands for it.

    >>> instead_of("^"), instead_of("ж")
    ('write a power as x ** 2', '')
    """
    return _INSTEAD.get(character, "")


def nearest(name: str, known: Iterable[str]) -> str:
    """Return the question whether one of the nearest names is meant; "" if none is near.

    >>> nearest("scors", ["scores", "x"]), nearest("q", ["Q", "K"]), nearest("far", ["x"])
    ('Did you mean scores? ', 'Did you mean Q? ', '')
    """
    lowered: dict[str, str] = {}
    for each in known:
        lowered.setdefault(each.lower(), each)
    close = get_close_matches(name.lower(), lowered, n=2, cutoff=0.7)
    return f"Did you mean {' or '.join(lowered[each] for each in close)}? " if close else ""


def function_instead(name: str) -> str:
    """Return what to write instead of a function of other notations; "" if that isn't known.

    >>> function_instead("std")
    'Write sqrt(var(x)). '
    """
    instead = _FUNCTIONS.get(name.lower())
    return f"Write {instead}. " if instead else ""


def why_unread(text: str) -> tuple[str, int] | None:
    """Return why a formula doesn't read, and at which place; None if that isn't known.

    >>> why_unread("mean(x")
    ('This bracket isn’t closed: add “)”.', 4)
    >>> why_unread("2x + 1")
    ('There’s no sign between 2 and x: write 2 * x.', 1)
    """
    opened: list[tuple[str, int]] = []
    for place, character in enumerate(text):
        if character in "([":
            opened.append((character, place))
        elif character in ")]":
            if not opened:
                return f"This bracket was never opened: remove “{character}”.", place
            wanted = ")" if opened.pop()[0] == "(" else "]"
            if character != wanted:
                return f"Another bracket is open here: write “{wanted}”.", place
    if opened:
        character, place = opened[-1]
        return f"This bracket isn’t closed: add “{')' if character == '(' else ']'}”.", place
    for match in _NO_SIGN.finditer(text):
        left, right = (part for part in match.groups() if part)
        if not {left, right} & _WORDS:
            places = [place for place in range(1, 7) if match.start(place) >= 0]
            return _no_sign(left, right), match.start(places[1])
    if ending := re.search(r"[-+*/@<>=!]\s*$", text):
        return f"Something is missing after “{ending[0].strip()}”: add it.", len(text)
    # Within brackets it names an option.
    if equals := re.search(r"^[^(]*?(?<![=<>!])(=)(?!=)", text):
        return "To compare, write == instead of =.", equals.start(1)
    return None


def _no_sign(left: str, right: str) -> str:
    if left == ")" or right == "(":
        return "There’s no sign before this: write * to multiply."
    return f"There’s no sign between {left} and {right}: write {left} * {right}."
