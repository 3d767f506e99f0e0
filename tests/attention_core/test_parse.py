"""Numbers as people type them."""

import contextlib
import math
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from attention_core.errors import UnreadableNumber
from attention_core.grading.parse import parse_number


@pytest.mark.parametrize(
    ("typed", "value"),
    [
        ("0.5", 0.5), (".5", 0.5), ("5.", 5), ("-0.3", -0.3), ("−0.3", -0.3), ("+1", 1),
        ("1/2", 0.5), ("-1/4", -0.25), ("1e-3", 0.001), ("2E2", 200), ("0,5", 0.5), (",5", 0.5),
        ("  0.5\t", 0.5), ("\u00a00.5\u202f", 0.5), ("1,234", 1.234), ("-0", 0), ("007", 7),
        ("0,5/0,25", 2), ("–0.5", -0.5), ("—0.5", -0.5), ("5".rjust(64, "0"), 5),
    ],
)  # fmt: skip
def test_it_reads(typed, value):
    assert parse_number(typed).value == value


@pytest.mark.parametrize(
    ("typed", "why"),
    [
        ("1,234.5", "two separators"), ("1.234,5", "two separators"), ("0..5", "two separators"),
        ("half", "not a number"), ("0.5x", "not a number"), ("nan", "not a number that"),
        ("inf", "not a number that"), ("-Infinity", "not a number that"), ("∞", "not a number"),
        ("1e400", "too large"), ("1_0", "not a number"), ("１", "another script"),
        ("٣", "another script"), ("²", "another script"), ("1/2/3", "two slashes"),
        ("1/0", "divides by zero"), ("1/0.0", "divides by zero"), ("1 000", "a space inside"),
        ("- 1", "a space inside"), ("", "Nothing"), ("   ", "Nothing"), ("/", "not a number"),
        ("1/", "not a number"), ("0x10", "not a number"), ("1e", "not a number"), ("+-1", "not a"),
        ("50%", "Percent"), (".", "not a number"), ("9" * 65, "too long"),
        ("\ud800", "not a number"), ("1\x00", "not a number"),
    ],
)  # fmt: skip
def test_it_refuses_with_a_sentence(typed, why):
    with pytest.raises(UnreadableNumber, match=why) as refused:
        parse_number(typed)
    assert str(refused.value).endswith(".")


def test_what_is_not_plain_is_read_back():
    assert parse_number("0.5").read_as == ""
    assert parse_number("0,5").read_as == "0.5"
    assert parse_number("1,234").read_as == "1.234"
    assert parse_number("1/3").read_as == "0.3333333333"


@pytest.mark.parametrize("typed", ["1,234", "1.5", "1/2", "two"])
def test_a_whole_number_is_asked_for(typed):
    with pytest.raises(UnreadableNumber, match="whole number"):
        parse_number(typed, integer=True)


def test_a_whole_number_may_have_a_point():
    assert parse_number("3.0", integer=True).value == 3


@given(st.text(max_size=80))
def test_it_raises_nothing_but_its_own_error(typed):
    with contextlib.suppress(UnreadableNumber):
        assert math.isfinite(parse_number(typed).value)


@given(st.text(alphabet="0123456789.,eE+-−/% _", max_size=64))
def test_it_survives_whatever_looks_like_a_number(typed):
    with contextlib.suppress(UnreadableNumber):
        assert math.isfinite(parse_number(typed).value)


@given(st.decimals(-1000, 1000, places=3))
def test_what_we_print_we_read(number):
    assert parse_number(f"{number}").value == float(number)


def test_a_million_digits_cost_nothing():
    start = time.process_time()
    with pytest.raises(UnreadableNumber):
        parse_number("9" * 1_000_000)
    assert time.process_time() - start < 0.05
