"""The review of a wrong step: its first wrong number, worked out, and values handed on."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis.strategies import floats, integers, sampled_from

from attention_core import draw, mark
from attention_core.grading.reviewing import (
    decimals_right,
    first_slip,
    follow,
    follow_through_values,
    handed_on_exactly,
)
from attention_core.problems.family import Mistake
from attention_core.problems.latex import equals
from tests.attention_core.drawn import every_family, problem_of, toy_problem, toy_step
from tests.each import each


def reviewed_step(key, compute, decimals=3):
    mistake = Mistake("kept", lambda way, v: v.x, "Not this way.")
    return toy_step(key, compute, mistake, decimals=decimals)


def problem(*x, decimals=3):
    """Return a problem that doubles numbers, halves the givens, and trebles the doubled ones."""
    return toy_problem(
        x,
        reviewed_step("double", lambda way, v: 2 * v.x, decimals),
        reviewed_step("half", lambda way, v: v.x / 2),
        reviewed_step("six", lambda way, v: 3 * v.double),
    )


def slip_of(asked, answers):
    marked = mark(asked, answers)
    cells = {
        each.key: each.cells for each in marked.steps if each.verdict not in ("right", "blank")
    }
    return first_slip(asked, follow(asked, answers), cells)


def test_the_first_cell_that_is_not_right_is_found():
    found = slip_of(problem(0.4, 0.7, 0.9), {"double": ["0.8", "-1.4", "7"]})
    assert (found.step, found.row, found.column) == ("double", 0, 1)
    assert (found.typed, found.here, found.follows) == (-1.4, 1.4, False)


def test_cells_that_are_blank_or_cannot_be_read_are_passed_over():
    found = slip_of(problem(0.4, 0.7, 0.9), {"double": ["", "1.2.3", "7"]})
    assert found.column == 2
    found = slip_of(problem(0.4, 0.7), {"double": ["1.2.3", "1.4"], "six": ["2.4", "9"]})
    assert (found.step, found.column, found.here) == ("six", 1, pytest.approx(4.2))


def test_a_right_answer_and_one_judged_by_another_rule_have_none():
    asked = problem(0.4, 0.7)
    right = {"double": ["0.8", "1.4"]}
    assert slip_of(asked, right) is None
    followed = follow(asked, right)
    assert first_slip(asked, followed, {"double": ["wrong", "wrong"]}) is None
    assert first_slip(asked, followed, {"double": ["wrong"]}) is None


def test_what_follows_from_own_numbers_is_right_where_more_agree_with_it():
    answers = {"double": ["5", "6"], "six": ["15", "77"]}
    asked = problem(0.4, 0.7)
    found = first_slip(asked, follow(asked, answers), {"six": ["right", "wrong"]})
    assert (found.here, found.follows) == (18, True)
    exact = answers | {"six": ["2.4", "77"]}
    found = first_slip(asked, follow(asked, exact), {"six": ["right", "wrong"]})
    assert (found.here, found.follows) == (pytest.approx(4.2), False)


@each(
    "typed, right, decimals, says",
    [
        (1.28, -1.28, 3, (True, 0)),
        (-1.281, 1.28, 3, (True, 0)),
        (1.28, -1.29, 3, (False, 0)),
        (12.8, 1.28, 3, (False, 1)),
        (0.128, 1.28, 3, (False, -1)),
        (128, 1.28, 3, (False, 2)),
        (1.28, 1280, 3, (False, -3)),
        (-12.8, 1.28, 3, (False, 0)),
        (13, 1.28, 3, (False, 0)),
        # The origin of so small a number is uncertain.
        (0.1, 0.01, 3, (False, 0)),
        (5, 0, 3, (False, 0)),
        (40, 4, 0, (False, 1)),
        (-4, 4, 0, (True, 0)),
        (41, 4, 0, (False, 0)),
    ],
)
def test_the_origin_of_a_number_is_shown_only_if_it_is_certain(typed, right, decimals, says):
    found = slip_of(problem(right / 2, 1.0, decimals=decimals), {"double": [str(typed), "2"]})
    assert (found.other_sign, found.tens) == says


@given(
    right=floats(-50, 50).filter(lambda right: abs(right) > 0.001),
    decimals=integers(0, 4),
    dash=sampled_from("-−–"),
    point=sampled_from(".,"),
)
def test_a_number_rounded_to_fewer_decimals_than_asked_is_right_to_those(
    right, decimals, dash, point
):
    typed = f"{right:.{decimals}f}"
    written = typed.replace("-", dash).replace(".", point)
    rounded = float(typed) != 0 and decimals < 3
    assert decimals_right(written, right, 3) == (decimals if rounded else None)
    unit = 10.0**-decimals
    other = f"{float(typed) + 2 * unit:.{decimals}f}"
    assert decimals_right(other, right, 3) is None


@pytest.mark.parametrize("text", ["", "1/2", "x", "0.1e0", "1 000", "5 %"])
def test_only_a_plain_number_has_decimals(text):
    assert decimals_right(text, 0.5, 3) is None


# Every family


@every_family
def test_any_cell_can_be_written_out_and_ends_in_its_number(key):
    for seed in (1, 2, 3):
        drawn = problem_of(key, seed)
        for step in drawn.family.steps:
            if step.cell is None:
                continue
            values = np.atleast_2d(drawn.values[step.key])
            for row, column in np.argwhere(np.atleast_2d(drawn.typed[step.key])):
                written = step.cell(drawn.values, row, column)
                assert written.endswith(equals(values[row, column])), (step.key, row, column)


def test_what_follows_is_written_out_with_own_numbers():
    asked = draw("attention", 7)
    answers = {
        "scores": [["1.5", "-0.5"], ["0.25", "2"]],
        "scaled": [[f"{x / 3**0.5:.4f}" for x in (1.5, -0.5)], ["9", f"{2 / 3**0.5:.4f}"]],
    }
    found = first_slip(
        asked, follow(asked, answers), {"scaled": [["right", "right"], ["wrong", "right"]]}
    )
    assert found.follows
    assert found.worked == r"\frac{0.25}{\sqrt{3}} \approx 0.144"


# Values handed on


@pytest.mark.parametrize(
    ("typed", "exact", "own"),
    [
        (["5", "1.2.3"], {"six": ["double"]}, []),
        (["5", ""], {"six": ["double"]}, []),
        (["", ""], {}, []),
        (["5", "6"], {}, ["six"]),
    ],
)
def test_exact_values_are_handed_on_where_an_array_is_incomplete_or_cannot_be_read(
    typed, exact, own
):
    followed = follow(problem(0.4, 0.7), {"double": typed})
    assert handed_on_exactly(followed) == exact
    assert list(follow_through_values(followed)) == own
