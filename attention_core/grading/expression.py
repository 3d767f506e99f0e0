"""Parser of arithmetic typed into a cell, such as 3*(1-0.2)^2. Nothing is executed.

    sum      = product (("+" | "-") product)*
    product  = signed (("*" | "/") signed)*
    signed   = ("+" | "-")* value ("^" signed)?
    value    = number | "e" | "π" | "(" sum ")" | function ("+" | "-")* value
    function = "√" | "exp" | "ln" | "sin" | "cos"

The page's calculator reads by the same grammar (quizzes/static/quizzes/items/expression.js).
"""

import math
import re
from collections.abc import Callable
from typing import NoReturn

from attention_core.errors import UnreadableNumber

MAX_DEPTH = 16  # brackets within brackets

_TOKEN = re.compile(
    r"(?P<space>\s*)(?:(?P<number>[.,]?[0-9][0-9.,]*(?:[eE][+-]?[0-9]+)?)|(?P<word>[^\W\d_]+|\*\*|.))",
    re.DOTALL,
)
_SAME = {"·": "*", "×": "*", "**": "^", "÷": "/", "sqrt": "√", "pi": "π"}
_CONSTANTS = {"e": math.e, "π": math.pi}
_FUNCTIONS: dict[str, Callable[[float], float]] = {
    "√": math.sqrt, "exp": math.exp, "ln": math.log, "sin": math.sin, "cos": math.cos,
}  # fmt: skip
_OPERATORS = frozenset("+-*/^")
_KNOWN = _OPERATORS | {"(", ")"} | _CONSTANTS.keys() | _FUNCTIONS.keys()

TWO_SEPARATORS_FOUND = "This has two separators."
TWO_SEPARATORS = f"{TWO_SEPARATORS_FOUND} Type at most one, the decimal point."
SPACE_INSIDE_FOUND = "There’s a space inside the number."
SPACE_INSIDE = f"{SPACE_INSIDE_FOUND} Type a single number, such as 0.5 or 1000."
DIVIDES_BY_ZERO = "This divides by zero."
TOO_LARGE = "This number is too large to work with."


class UnknownSign(UnreadableNumber):
    """Typed text with a word or a sign that no sum has."""


def evaluate(text: str) -> float:
    """Return the value of a sum, a finite number, in time linear in the length of the text.

    Raises:
        UnknownSign: there is a word or a sign that no sum has.
        UnreadableNumber: with the sentence that the learner reads.

    >>> evaluate("3*(1-0.2)^2"), evaluate("-2^2"), evaluate("√16 / 2"), evaluate("exp 0")
    (1.9200000000000004, -4.0, 2.0, 1.0)
    """
    reader = _Reader(text)
    value = reader.sum()
    if reader.next == ")":
        _refuse("This closes a bracket that was never opened.")
    if reader.next:
        _refuse("A sign is missing between two numbers, such as * or +.")
    return value


def number(typed: str) -> float:
    """Return the value of a number with one decimal point or comma at most.

    Raises:
        UnreadableNumber: it has two, or is too large.

    >>> number("0,5")
    0.5
    """
    if typed.count(".") + typed.count(",") > 1:
        _refuse(TWO_SEPARATORS)
    return _finite(float(typed.replace(",", ".")))


def _refuse(message: str) -> NoReturn:
    raise UnreadableNumber(message)


def _finite(value: float) -> float:
    if not math.isfinite(value):
        _refuse(TOO_LARGE)
    return value


class _Reader:
    """A recursive-descent reader of a sum's tokens."""

    def __init__(self, text: str) -> None:
        self._words: list[str | float] = []
        spaces = []
        for token in _TOKEN.finditer(text.rstrip()):
            typed, word = token["number"], token["word"]
            spaces.append(bool(token["space"]))
            self._words.append(number(typed) if typed else _known(word))
        self._at = self._depth = 0
        self._check_spaces([*spaces, False])

    def _check_spaces(self, before: list[bool]) -> None:
        """Refuse an operator with a space on one side alone: `1 -2` may be two numbers."""
        for place in range(1, len(self._words)):
            left, word = self._words[place - 1], self._words[place]
            ends = isinstance(left, float) or left in (")", "e", "π")
            if ends and word in _OPERATORS and before[place] != before[place + 1]:
                _refuse(
                    f"There’s a space on only one side of {word}. Type a single number, or a"
                    " calculation with a space on both sides."
                )
            if ends and isinstance(word, float) and before[place]:
                _refuse(SPACE_INSIDE)

    @property
    def next(self) -> str | float:
        """The next token; "" at the end."""
        return self._words[self._at] if self._at < len(self._words) else ""

    def _take(self, *signs: str) -> str:
        taken = self.next
        if not isinstance(taken, str) or taken not in signs:
            return ""
        self._at += 1
        return taken

    def sum(self) -> float:
        value = self.product()
        while sign := self._take("+", "-"):
            right = self.product()
            value = _finite(value + right if sign == "+" else value - right)
        return value

    def product(self) -> float:
        value = self.signed()
        while sign := self._take("*", "/"):
            right = self.signed()
            if sign == "/" and right == 0:
                _refuse(DIVIDES_BY_ZERO)
            value = _finite(value * right if sign == "*" else value / right)
        return value

    def signed(self) -> float:
        """Read a value with its signs and exponent, as on paper: −2^2 is −4, 2^−1 is a half."""
        if sign := self._take("+", "-"):
            return -self.signed() if sign == "-" else self.signed()
        base = self.value()
        return _call_function(math.pow, base, self.signed()) if self._take("^") else base

    def value(self) -> float:
        taken = self.next
        if isinstance(taken, float):
            self._at += 1
            return taken
        if constant := self._take(*_CONSTANTS):
            return _CONSTANTS[constant]
        if self._take("("):
            return self._bracketed()
        if name := self._take(*_FUNCTIONS):
            return _call_function(_FUNCTIONS[name], self.argument())
        _refuse(
            f"A number is missing before {taken}." if taken else "A number is missing at the end."
        )

    def _bracketed(self) -> float:
        self._depth += 1
        if self._depth > MAX_DEPTH:
            _refuse(f"There are too many brackets within brackets: at most {MAX_DEPTH}.")
        value = self.sum()
        if not self._take(")"):
            _refuse("This opens a bracket that’s never closed.")
        self._depth -= 1
        return value

    def argument(self) -> float:
        """Read a function's argument: a value with its signs, so that exp −2 / 2 halves exp(−2)."""
        if sign := self._take("+", "-"):
            return -self.argument() if sign == "-" else self.argument()
        return self.value()


def _known(typed: str) -> str:
    word = typed.lower()
    word = _SAME.get(word, word)
    if word not in _KNOWN:
        raise UnknownSign(f"“{typed}” isn’t part of a number.")
    return word


def _call_function(function: Callable[..., float], *of: float) -> float:
    try:
        return _finite(function(*of))
    except OverflowError:
        _refuse(TOO_LARGE)
    except ValueError:
        _refuse("This has no value. Not every number has a root or a logarithm.")
