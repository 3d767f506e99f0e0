"""Variants fit to be asked: a careful student passes, and every mistake is told apart."""

from dataclasses import replace

import numpy as np
import pytest

from attention_core.problems.family import Mistake
from attention_core.problems.tolerance import step_tolerances
from attention_core.proving import known_mistakes, margin, typed_answers, unfit_reason
from tests.attention_core.drawn import toy_problem, toy_step
from tests.each import each


def doubling(*mistakes, x=(1.0, 2.0), **more):
    """Return a problem that doubles two numbers and knows these mistakes."""
    compute = more.pop("compute", lambda way, v: way.round(2 * v.x))
    fixed = more.pop("fixed", lambda v: None)
    return toy_problem(
        x, toy_step("double", compute, *(mistakes or (adds(0.5),)), fixed=fixed), **more
    )


def adds(amount, key="adds", **more):
    """Return the mistake of adding `amount` to the right double."""
    return Mistake(key, lambda way, v: way.round(2 * v.x + amount), "No.", **more)


@each(
    "mistakes, reason",
    [
        ([adds(0.5), adds(0.7, "adds_more")], ""),
        ([adds(0.5), adds(0.503, "adds_more")], "double: adds looks like adds_more"),
        # Within five tolerances of what is right, and not.
        ([adds(0.004)], "double: right looks like adds"),
        ([adds(0.006)], ""),
        ([adds(np.nan)], "double: adds is not finite"),
    ],
)
def test_a_problem_is_fit_whose_mistakes_are_told_apart(mistakes, reason):
    assert unfit_reason(doubling(*mistakes)) == reason


def test_outside_its_familys_bounds_it_is_not_asked():
    bounds = {"fit": lambda v: bool(v.double.max() < 4)}
    assert unfit_reason(doubling(**bounds)) == "outside the family’s bounds"
    assert unfit_reason(doubling(**bounds, x=(1.0, 1.9))) == ""


@pytest.mark.parametrize(
    ("tolerance", "message"), [(0.005, ""), (0.006, "rounding strays too far")]
)
def test_where_rounding_strays_further_than_the_largest_tolerance_it_is_not_asked(
    tolerance, message
):
    assert unfit_reason(replace(doubling(adds(0.5)), tolerance={"double": tolerance})) == message


def test_five_tolerances_apart_is_still_too_near():
    tolerance = 2**-8  # so that nothing is rounded
    problem = replace(doubling(adds(5 * tolerance)), tolerance={"double": tolerance})
    assert unfit_reason(problem) == "double: right looks like adds"


def test_only_cells_that_are_typed_tell_computations_apart():
    first_cell_alone = Mistake("adds", lambda way, v: 2 * v.x + np.array([0.5, 0.0]), "No.")
    assert unfit_reason(doubling(first_cell_alone)) == ""
    problem = doubling(first_cell_alone, fixed=lambda v: np.array([True, False]))
    assert unfit_reason(problem) == "double: right looks like adds"


def test_where_nothing_is_divided_by_nothing_no_tolerance_is_wide_enough():
    problem = doubling(compute=lambda way, v: way.divide(v.x, v.x), x=(0.0, 1.0))
    with np.errstate(all="ignore"):
        tolerance = step_tolerances(problem.family, problem.givens, problem.values)
    assert tolerance == {"double": np.inf}


def test_what_the_marker_would_mark_otherwise_is_not_asked_for():
    """A student who rounds on the way is further off than the tolerance allows."""
    problem = doubling(compute=lambda way, v: way.round(way.round(v.x / 3000) * 6000))
    assert unfit_reason(problem).startswith("double: ")
    assert "is marked" in unfit_reason(problem)


def two_steps(second, *others, halfway=lambda way, v: v.x - 1):
    """Return a problem of two steps or more; a mistake in the first results in `halfway`."""
    first = toy_step("double", lambda way, v: 2 * v.x, Mistake("halfway", halfway, "No."))
    return toy_problem((1.0, 1.0), first, toy_step("last", second, adds(7)), *others)


def test_a_mistake_that_leaves_zeros_to_go_on_from_is_not_asked_for():
    """Zeros are not followed, so honest work after them would earn nothing."""
    triple = {"second": lambda way, v: 3 * v.double}
    assert unfit_reason(two_steps(**triple)) == "double: halfway leaves only zeros"
    nearly = two_steps(**triple, halfway=lambda way, v: v.x - 1 + 0.0009)
    assert unfit_reason(nearly) == "double: halfway leaves only zeros"
    assert unfit_reason(two_steps(**triple, halfway=lambda way, v: v.x - [1, 2])) == ""


def test_zeros_that_no_later_step_takes_are_asked_for():
    assert unfit_reason(two_steps(lambda way, v: 3 * v.x)) == ""


def test_a_mistake_that_comes_to_zeros_later_is_not_asked_for():
    """A ReLU turns negative numbers into zeros."""
    third = toy_step("third", lambda way, v: 3 * v.last, adds(30))
    steps, negative = (lambda way, v: np.maximum(v.double, 0), third), lambda way, v: -v.x
    assert unfit_reason(two_steps(*steps[:1], halfway=negative)) == ""
    reason = unfit_reason(two_steps(*steps, halfway=negative))
    assert reason == "double: halfway leaves only zeros"


def test_only_mistakes_that_can_be_made_here_are_known():
    problem = doubling(
        adds(0.5),
        adds(0.7, "never", when=lambda v: False),
        Mistake("another_shape", lambda way, v: v.x[..., :1], "No."),
    )
    known = known_mistakes(problem, problem.family.steps[0])
    assert [(mistake.key, wrong.tolist()) for mistake, wrong in known] == [("adds", [2.5, 4.5])]


def test_the_margin_is_that_of_the_two_most_alike():
    assert margin(doubling(adds(0.5), adds(0.7, "adds_more"))) == pytest.approx(200)
    assert margin(doubling(adds(0.5, when=lambda v: False))) == np.inf


def test_answers_are_typed_to_the_decimals_asked_for():
    typed = typed_answers(doubling(), {"double": np.array([0.12345, -2.0])})
    assert typed == {"double": ["0.123", "-2.000"]}
