"""Codes to join by, in the ways that people type them."""

import pytest

from classes import codes


@pytest.mark.parametrize(
    "typed", ["0123-4567", "0123 4567", " o1z3—4s67 ", "OIZ3-4567", "０１２３４５６７", "01234567"]
)
def test_case_spaces_and_look_alikes_are_forgiven(typed):
    assert codes.parse_code(typed) == "01234567"


@pytest.mark.parametrize("typed", ["", "0123456", "012345678", "0123456é", "\0" * 8, "0" * 9999])
def test_anything_else_is_no_code(typed):
    assert codes.parse_code(typed) == ""


def test_what_is_drawn_reads_as_itself():
    drawn = {codes.draw() for _ in range(200)}
    assert len(drawn) == 200
    assert all(codes.parse_code(codes.format_code(code).lower()) == code for code in drawn)
