"""Numbers as people type them."""

import contextlib
import math
import re
import time
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from attention_core.errors import UnreadableNumber
from attention_core.grading.parse import parse_number
from attention_core.grading.signs import DASHES, normalize_signs
from tests.each import each
from tests.growth import grows_in_proportion
from tests.slowness import slowness

READ = [
    ("0.5", 0.5), (".5", 0.5), ("5.", 5), ("-0.3", -0.3), ("−0.3", -0.3), ("+1", 1),
    ("1/2", 0.5), ("-1/4", -0.25), ("1e-3", 0.001), ("2E2", 200), ("0,5", 0.5), (",5", 0.5),
    ("  0.5\t", 0.5), ("\u00a00.5\u202f", 0.5), ("1,234", 1.234), ("-0", 0), ("007", 7),
    ("0,5/0,25", 2), ("–0.5", -0.5), ("—0.5", -0.5), ("5".rjust(64, "0"), 5),
    ("‐0.5", -0.5), ("－0.5", -0.5), ("- 1", -1), ("+ 1", 1), ("1 / 2", 0.5), ("- 1 /4", -0.25),
    ("1 000", 1000), ("12\u00a0000\u2009000", 12e6), ("-1\u202f234", -1234), ("12'345", 12345),
    ("1’000", 1000), ("1/2/4", 0.125), ("e", math.e), ("pi", math.pi), ("√2", 2**0.5),
    ("sqrt(2)", 2**0.5), ("exp(0.5)", math.exp(0.5)), ("exp -0,5", math.exp(-0.5)),
    ("3*(1-0.2)^2", 3 * 0.8**2), ("3 × (1 - 0.2)**2", 3 * 0.8**2), ("-2^2", -4), ("2^-1", 0.5),
    ("exp(1) ÷ (exp(1) + exp 2)", math.e / (math.e + math.exp(2))), ("--1", 1), ("(1)", 1),
    ("½", 0.5), ("1½", 1.5), ("-1 ½", -1.5), ("3⁄4", 0.75), ("2½/5", 0.5), ("√¼", 0.5),
    ("2.5×10⁻³", 2.5e-3), ("−1·10²", -100), ("2³²", 2**32), ("e²", math.e**2),
    ("exp(1)⁻¹", 1 / math.e), ("‒1", -1), ("﹣1", -1), ("˗1", -1), ("1e–3", 0.001),
    ("1 - 2", -1), ("ln(e)", 1), ("(" * 16 + "1" + ")" * 16, 1), ("1000000000000", 1e12),
]  # fmt: skip


@each("typed, value", READ)
def test_it_reads(typed, value):
    assert parse_number(typed).value == value


REFUSED = [
    ("1,234.5", "two separators"), ("1.234,5", "two separators"), ("0..5", "two separators"),
    ("half", "isn’t a number"), ("0.5x", "isn’t a number"), ("nan", "isn’t a number that"),
    ("inf", "isn’t a number that"), ("-Infinity", "isn’t a number that"), ("∞", "isn’t a number"),
    ("1e400", "too large"), ("1_0", "isn’t a number"), ("１", "another script"),
    ("٣", "another script"), ("²", "another script"),
    ("1/0", "divides by zero"), ("1/0.0", "divides by zero"), ("2*3/(1-1)", "divides by zero"),
    ("1 00", "a space inside"), ("0.5 000", "a space inside"), ("1 000 + 1", "a space inside"),
    ("1 -2", "one side of -"), ("1- 2", "one side of -"), ("2 *3", "one side of \\*"),
    ("", "Nothing"), ("   ", "Nothing"), ("/", "missing before /"), ("(1", "never closed"),
    ("1)", "never opened"), ("2(3)", "sign is missing"), ("√(0-1)", "no value"),
    ("ln 0", "no value"), ("(-8)^0.5", "no value"), ("exp(1000)", "too large"),
    ("9^99", "too large"),
    ("1000000000001", "too large"), ("(" * 17 + "1" + ")" * 17, "too many brackets"),
    ("__import__", "isn’t a number"), ("exp", "missing at the end"), ("tan(1)", "isn’t a number"),
    ("1/", "missing at the end"), ("0x10", "isn’t a number"), ("1e", "sign is missing"),
    ("50%", "Percent"), (".", "isn’t a number"), ("9" * 65, "too long"),
    ("1.½", "sign is missing"), ("½½", "sign is missing"), ("2²2", "sign is missing"),
    ("10⁻3", "isn’t a number"), ("12 000 ½", "a space inside|sign is missing"),
    ("\u200b\ufeff", "Nothing"),
    ("\ud800", "isn’t a number"), ("1\x00", "isn’t a number"),
]  # fmt: skip


@each("typed, why", REFUSED)
def test_it_refuses_with_a_sentence(typed, why):
    with pytest.raises(UnreadableNumber, match=why) as refused:
        parse_number(typed)
    assert str(refused.value).endswith(".")


def test_what_is_not_plain_is_read_back():
    assert parse_number("0.5").read_as == ""
    assert parse_number("0,5").read_as == "0.5"
    assert parse_number("1,234").read_as == "1.234"
    assert parse_number("1/3").read_as == "0.333"
    assert parse_number("exp(0.5)").read_as == "1.649"
    assert parse_number("1/4000000").read_as == "0.00000025"
    assert parse_number("12 000").read_as == "12000"
    assert parse_number("0.5\u200b").read_as == ""
    assert parse_number("1½").read_as == "1.5"
    assert parse_number("-2.5×10⁻³").read_as == "-0.0025"


ADVISED = [
    ("1 1/2", "Type 3/2 or 1.5."), ("−2 3 / 4", "Type -11/4 or -2.75."),
    ("1 1/3", "Type 4/3."), ("0 1/8", "Type 1/8 or 0.125."),
    ("2,345.6", "Type 2345.6."), ("12.345.678,9", "Type 12345678.9."),
    ("- 1,234.5", "Type -1234.5."), ("0..5", "Type at most one, the decimal point."),
    ("5%", "Type 0.05 for 5%."), ("12,5 %", "Type 0.125 for 12.5%."),
    ("1/2 %", "Type 0.5 for 50%."),
    ("12 000/7", "Type a single number, such as 0.5 or 1000."),
    ("1 00", "Type a single number, such as 0.5 or 1000."),
    ("1 3/2", "Type a single number, such as 0.5 or 1000."),
]  # fmt: skip


@each("typed, advice", ADVISED)
def test_no_advice_makes_another_number_of_what_is_typed(typed, advice):
    with pytest.raises(UnreadableNumber) as refused:
        parse_number(typed)
    assert str(refused.value).endswith(advice)


WHOLE = st.integers(0, 999)


@given(WHOLE, st.integers(1, 99), st.integers(2, 99), st.sampled_from(["", "-", "–"]))
def test_a_mixed_number_is_advised_on_with_its_value(whole, above, below, sign):
    value = (-1 if sign else 1) * (whole + above / below)
    with pytest.raises(UnreadableNumber) as refused:
        parse_number(f"{sign}{whole} {above}/{below}")
    advised = re.findall(r"-?\d[\d./]*\d|\d", str(refused.value))
    if above < below:
        values = [parse_number(number).value for number in advised]
        assert values == pytest.approx([value] * len(advised))
    else:
        assert advised == ["0.5", "1000"]


SEEN = st.text(alphabet="0123456789.,-−/½² e()+%'", max_size=12)
UNSEEN_SIGNS = [sign for sign in map(chr, range(0x110000)) if unicodedata.category(sign) == "Cf"]
UNSEEN_SIGNS += ["\ufe0e", "\ufe0f", "\U000e0100", "\u3164", "\u034f"]


def outcome(typed):
    try:
        return parse_number(typed)
    except UnreadableNumber as refused:
        return str(refused)


@given(SEEN, st.lists(st.tuples(st.integers(0, 12), st.sampled_from(UNSEEN_SIGNS)), max_size=20))
def test_what_cannot_be_seen_changes_nothing(seen, unseen):
    typed = seen
    for place, sign in unseen:
        typed = typed[:place] + sign + typed[place:]
    assert outcome(typed) == outcome(seen)


@each("sign", UNSEEN_SIGNS)
def test_every_sign_that_cannot_be_seen_is_dropped(sign):
    assert parse_number(f"{sign}0{sign}.5{sign}") == parse_number("0.5")


@each("dash", sorted(DASHES))
def test_every_dash_is_a_minus(dash):
    assert parse_number(f"{dash}0.5").value == -0.5
    assert parse_number(f"1e{dash}3").value == 0.001
    assert parse_number(f"1 {dash} 2").value == -1


@pytest.mark.parametrize("typed", ["1,234", "1.5", "1/2", "two", "3*4", "exp(0)", "√4"])
def test_a_whole_number_is_asked_for(typed):
    with pytest.raises(UnreadableNumber, match="whole number"):
        parse_number(typed, integer=True)


def test_a_whole_number_may_have_a_point():
    assert parse_number("3.0", integer=True).value == 3


LOOKS_LIKE_A_NUMBER = st.text(alphabet="0123456789.,eE+-−/% _()^*×√πexplnsico", max_size=64)


@given(st.text(max_size=80) | LOOKS_LIKE_A_NUMBER)
def test_it_raises_nothing_but_its_own_error(typed):
    with contextlib.suppress(UnreadableNumber):
        assert math.isfinite(parse_number(typed).value)


@given(st.decimals(-1000, 1000, places=3))
def test_what_we_print_we_read(number):
    assert parse_number(f"{number}").value == float(number)


def test_a_million_digits_cost_nothing():
    start = time.process_time()
    with pytest.raises(UnreadableNumber):
        parse_number("9" * 1_000_000)
    assert time.process_time() - start < 0.05 * slowness()


@pytest.mark.parametrize("signs", ["9", "½", "²", "1²", "−", "1 ", "\u200b", "(", ",", "1½ ", "9⁄"])
def test_reading_signs_takes_time_in_proportion_to_their_number(signs):
    def seconds(count):
        begins = time.process_time()
        normalize_signs(signs * (count // len(signs)))
        return time.process_time() - begins

    assert grows_in_proportion(seconds, 10_000)
