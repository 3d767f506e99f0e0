"""Comparing points with the pass mark."""

from fractions import Fraction

import pytest

from quizzes.passing import is_passed


@pytest.mark.parametrize(
    ("points", "out_of", "is_reached"),
    [
        (0.1 + 0.2 + 0.3, 1, True),
        (0.6 - 1e-12, 1, True),
        (0.599, 1, False),
        (Fraction(3, 5), Fraction(1), True),
        (0, 0, False),
    ],
)
def test_rounding_alone_fails_nobody(points, out_of, is_reached) -> None:
    assert is_passed(points, out_of, 60) is is_reached


def test_of_no_points_nothing_is_needed_where_the_pass_mark_is_nothing() -> None:
    assert is_passed(0, 0, 0)
