"""Parser of typed numbers, with error messages that a learner can act on.

It reads a sign, digits with one decimal point or comma, a power of ten; a fraction; whole numbers
with their thousands set apart; and arithmetic, except in questions for a whole number. It drops
invisible characters, and spaces around a number. It takes time linear in the length of the text,
which is at most 64 characters.
"""

import re
from dataclasses import dataclass
from decimal import Decimal

from attention_core.errors import UnreadableNumber
from attention_core.grading.expression import (
    DIVIDES_BY_ZERO,
    SPACE_INSIDE,
    SPACE_INSIDE_FOUND,
    TOO_LARGE,
    TWO_SEPARATORS_FOUND,
    UnknownSign,
    evaluate,
    number,
)
from attention_core.grading.signs import normalize_signs, remove_invisible

MAX_LENGTH = 64
MAX_VALUE = 1e12

# Almost everything that is typed; `number` would read the same value.
_PLAIN = re.compile(r"-?[0-9]+(\.[0-9]+)?")
_NUMBER = r"[+-]?(?:[0-9]+[.,]?[0-9]*|[.,][0-9]+)(?:[eE][+-]?[0-9]+)?"
_FRACTION = re.compile(rf"(?P<above>{_NUMBER})(?:/(?P<below>{_NUMBER}))?")
# A plain or no-break space, or an apostrophe, between groups of three.
_THOUSANDS = re.compile(r"[+-]?[0-9]{1,3}(?:(?:[ \u00a0\u2009\u202f][0-9]{3})+|(?:['’][0-9]{3})+)")
_AFTER_SIGN_OR_SLASH = re.compile(r"^([+-])\s+|\s*/\s*")
# One separator between thousands, the other before the decimals.
_SEPARATED = re.compile(
    r"\+?(?P<whole>-?[0-9]{1,3}(?:(?:,[0-9]{3})+(?=\.)|(?:\.[0-9]{3})+(?=,)))[.,](?P<decimals>[0-9]+)"
)
# A mixed number; without its space it would be another number.
_MIXED = re.compile(
    r"(?P<sign>[+-]?)\s*(?P<whole>[0-9]+)\s+(?P<above>[1-9][0-9]*)/(?P<below>[0-9]+)"
)
_WHOLE = "This question asks for a whole number, such as 12."
_WORDS_FOR_NO_NUMBER = {"nan", "inf", "infinity", "-inf", "+inf", "-infinity", "∞", "-∞"}


@dataclass(frozen=True, slots=True)
class TypedNumber:
    """A typed number as it was read.

    Attributes:
        value: a finite number.
        read_as: the value in plain notation, to be shown beside a text that was not plain;
            to three decimals where it was computed.
    """

    value: float
    read_as: str = ""


def parse_number(text: str, *, integer: bool = False) -> TypedNumber:
    """Return the number typed into a cell.

    Args:
        text: the typed text; surrounding spaces of any kind are ignored.
        integer: the question asks for a whole number, so a decimal comma is refused, and so is
            arithmetic.

    Raises:
        UnreadableNumber: with the sentence that the learner reads.

    >>> parse_number(" 0,5 ")
    TypedNumber(value=0.5, read_as='0.5')
    >>> parse_number("1/2").value, parse_number("−.3").value, parse_number("12 000").value
    (0.5, -0.3, 12000.0)
    >>> parse_number("exp(0.5)").read_as, parse_number("2.5×10⁻³").read_as
    ('1.649', '0.0025')
    >>> parse_number("1,234.5")
    Traceback (most recent call last):
    attention_core.errors.UnreadableNumber: This has two separators. Type 1234.5.
    >>> parse_number("1 1/2")
    Traceback (most recent call last):
    attention_core.errors.UnreadableNumber: There’s a space inside the number. Type 3/2 or 1.5.
    """
    if len(text) > MAX_LENGTH:
        raise UnreadableNumber(f"This is too long. Type at most {MAX_LENGTH} characters.")
    if not integer and _PLAIN.fullmatch(text):
        return TypedNumber(_in_bounds(float(text)))
    seen = remove_invisible(text).strip()
    typed = normalize_signs(seen)
    if not typed:
        raise UnreadableNumber("Nothing is typed here.")
    if typed.endswith("%"):
        raise UnreadableNumber(_percent_advice(typed))
    tidied = _remove_separators(typed)
    fraction = _FRACTION.fullmatch(tidied)
    if integer and ("," in typed or fraction is None):
        raise UnreadableNumber(_WHOLE)
    value = _quotient(fraction) if fraction else _evaluate(typed, tidied)
    value = _in_bounds(value)
    if integer and value != int(value):
        raise UnreadableNumber(_WHOLE)
    if _PLAIN.fullmatch(seen):
        return TypedNumber(value)
    return TypedNumber(
        value, _format_read_as(value, is_computed=fraction is None or bool(fraction["below"]))
    )


def _in_bounds(value: float) -> float:
    if abs(value) > MAX_VALUE:
        raise UnreadableNumber(TOO_LARGE)
    return value + 0.0  # −0 is 0.


def _remove_separators(typed: str) -> str:
    """Remove separators of thousands, and spaces after the sign and around a slash."""
    spaced = _AFTER_SIGN_OR_SLASH.sub(lambda found: found[1] or "/", typed)
    return re.sub(r"[^0-9+-]", "", spaced) if _THOUSANDS.fullmatch(spaced) else spaced


def _quotient(fraction: re.Match[str]) -> float:
    above, below = number(fraction["above"]), number(fraction["below"] or "1")
    if below == 0:
        raise UnreadableNumber(DIVIDES_BY_ZERO)
    return above / below


def _evaluate(typed: str, tidied: str) -> float:
    if mixed := _MIXED.fullmatch(tidied):
        raise UnreadableNumber(_mixed_number_advice(mixed))
    if separated := _SEPARATED.fullmatch(tidied):
        whole = re.sub(r"[.,]", "", separated["whole"])
        raise UnreadableNumber(f"{TWO_SEPARATORS_FOUND} Type {whole}.{separated['decimals']}.")
    try:
        return evaluate(typed)
    except UnknownSign:
        raise UnreadableNumber(_why_unreadable(typed)) from None


def _format_read_as(value: float, *, is_computed: bool) -> str:
    """Format a computed number to three decimals, or to three figures where it is small."""
    if not is_computed:
        return _format_decimal(Decimal(f"{value:.10g}"))
    return _format_decimal(Decimal(f"{value:.3f}" if abs(value) >= 0.1 else f"{value:.3g}"))


def _format_decimal(value: Decimal) -> str:
    plain = format(value, "f")
    return plain.rstrip("0").rstrip(".") if "." in plain else plain


def _percent_advice(typed: str) -> str:
    """Return advice on a percentage: what to type instead, if it is a plain number."""
    share = _PLAIN.fullmatch(typed.removesuffix("%").rstrip().replace(",", "."))
    if share is None:
        return "Percentages don’t work here. Type 0.5 for 50%."
    decimal = _format_decimal(Decimal(share[0]) / 100)
    return f"Percentages don’t work here. Type {decimal} for {share[0]}%."


def _mixed_number_advice(mixed: re.Match[str]) -> str:
    """Return advice on a mixed number: its fraction, and its decimals if these end."""
    whole, above, below = int(mixed["whole"]), int(mixed["above"]), int(mixed["below"])
    # 12 000/7 may mean twelve thousand.
    if above >= below or len(mixed["above"]) == 3:
        return SPACE_INSIDE
    numerator, sign = whole * below + above, mixed["sign"].removeprefix("+")
    fraction = f"{sign}{numerator}/{below}"
    decimals = Decimal(numerator) / Decimal(below)
    if numerator > MAX_VALUE or decimals * below != numerator:
        return f"{SPACE_INSIDE_FOUND} Type {fraction}."
    return f"{SPACE_INSIDE_FOUND} Type {fraction} or {sign}{_format_decimal(decimals)}."


def _why_unreadable(typed: str) -> str:
    if typed.lower() in _WORDS_FOR_NO_NUMBER:
        return "This isn’t a number that can be marked. Type digits, such as 0.5."
    if any(character.isdigit() and not character.isascii() for character in typed):
        return "These digits are from another script. Type 0 to 9."
    return (
        "This isn’t a number. Type one such as 0.5, -1.25 or 1/2, or a calculation such as"
        " exp(0.5)/2."
    )
