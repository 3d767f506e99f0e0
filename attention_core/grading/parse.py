"""Typed text to a number, or a sentence that says why not.

What is read: an optional sign, digits with one decimal point or comma, an optional power of ten;
or a fraction of two such numbers. Everything runs in time linear in the length of the text, which
is at most 64 characters.
"""

import math
import re
from dataclasses import dataclass

from attention_core.errors import UnreadableNumber

LONGEST = 64

_PLAIN = re.compile(r"-?[0-9]+(\.[0-9]+)?")
_NUMBER = re.compile(r"[+-]?([0-9]+[.,]?[0-9]*|[.,][0-9]+)([eE][+-]?[0-9]+)?")
_WHOLE = "This question asks for a whole number, such as 12."
# A minus, and what a document may have made of it.
_DASHES = str.maketrans(dict.fromkeys("\N{MINUS SIGN}\N{EN DASH}\N{EM DASH}", "-"))
_WORDS_FOR_NO_NUMBER = {"nan", "inf", "infinity", "-inf", "+inf", "-infinity", "∞", "-∞"}


@dataclass(frozen=True, slots=True)
class TypedNumber:
    """What a text was read as.

    Attributes:
        value: a finite number.
        read_as: the value in plain notation where the text was not plain, to be shown beside it.
    """

    value: float
    read_as: str = ""


def parse_number(text: str, *, integer: bool = False) -> TypedNumber:
    """Read one cell.

    Args:
        text: what was typed; surrounding spaces of any kind are ignored.
        integer: the question asks for a whole number, so a decimal comma is refused.

    Raises:
        UnreadableNumber: with the sentence that the learner reads.

    >>> parse_number(" 0,5 ")
    TypedNumber(value=0.5, read_as='0.5')
    >>> parse_number("1/2").value, parse_number("−.3").value, parse_number("1e-3").value
    (0.5, -0.3, 0.001)
    >>> parse_number("1,234.5")
    Traceback (most recent call last):
    attention_core.errors.UnreadableNumber: This has two separators. Type 1234.5 without one for \
thousands.
    """
    if len(text) > LONGEST:
        raise UnreadableNumber(f"This is too long: a number has at most {LONGEST} characters.")
    typed = text.strip().translate(_DASHES)
    if not typed:
        raise UnreadableNumber("Nothing is typed here.")
    if typed.endswith("%"):
        raise UnreadableNumber("Percent is not used here. Type 0.5 for 50 %.")
    if integer and not any(map(str.isdigit, typed)):
        raise UnreadableNumber(_WHOLE)
    value = _quotient(typed)
    if not math.isfinite(value):
        raise UnreadableNumber("This number is too large to work with.")
    if integer and ("," in typed or value != int(value)):
        raise UnreadableNumber(_WHOLE)
    value += 0.0  # −0 is 0.
    return TypedNumber(value, "" if _PLAIN.fullmatch(text.strip()) else f"{value:.10g}")


def _quotient(typed: str) -> float:
    parts = typed.split("/")
    if len(parts) > 2:
        raise UnreadableNumber("This has two slashes. Type one fraction, such as 1/2.")
    values = [_decimal(part) for part in parts]
    if len(values) == 1:
        return values[0]
    if values[1] == 0:
        raise UnreadableNumber("This divides by zero.")
    return values[0] / values[1]


def _decimal(typed: str) -> float:
    if not _NUMBER.fullmatch(typed):
        raise UnreadableNumber(_why_unreadable(typed))
    return float(typed.replace(",", "."))


def _why_unreadable(typed: str) -> str:
    if typed.lower() in _WORDS_FOR_NO_NUMBER:
        return "This is not a number that can be marked. Type digits, such as 0.5."
    if typed.count(".") + typed.count(",") > 1:
        return "This has two separators. Type 1234.5 without one for thousands."
    if any(character.isdigit() and not character.isascii() for character in typed):
        return "These digits are of another script. Type 0 to 9."
    if any(character.isspace() for character in typed):
        return "There is a space inside the number. Type it without one."
    return "This is not a number. Type one such as 0.5, -1.25 or 1/2."
