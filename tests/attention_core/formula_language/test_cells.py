"""A worked cell writes out what is computed, readably, and nothing that isn't."""

import re

import numpy as np
import pytest

from attention_core.formulas.cells import worked_cell
from attention_core.formulas.compute import compute
from attention_core.formulas.lengths import Length
from attention_core.formulas.shapes import Scope
from attention_core.formulas.trees import parse
from attention_core.problems.family import Values
from attention_core.problems.rounding import EXACT
from tests.each import each

VALUES = Values(
    x=np.array([-1.0, 3.0, 4.0]),
    long=np.arange(1.0, 9.0),
    X=np.array([[0.5, -1.0], [1.5, 2.0], [-0.5, 5.0]]),
    a=np.array(-0.5),
    pair=np.array([2.0, -1.0]),
)
SCOPE = Scope({name: tuple(map(Length, array.shape)) for name, array in VALUES.items()})


def worked(formula, row=0, column=0):
    return worked_cell(parse(formula), SCOPE)(VALUES, row, column)


@each(
    "formula, printed",
    [
        ("x + 1", "-1 + 1 = 0"),
        ("1 + x", "1 + (-1) = 0"),
        ("a * x", r"(-0.5) \cdot (-1) = 0.5"),
        ("a / 2", r"\frac{-0.5}{2} = -0.25"),
        ("exp(-a * 2)", r"e^{-(-0.5) \cdot 2} \approx 2.718"),
        ("2 - -a", r"2 - \left(-(-0.5)\right) = 1.5"),
        ("exp(a) ** 2", r"\left(e^{-0.5}\right)^{2} \approx 0.368"),
    ],
)
def test_a_negative_number_has_brackets_only_behind_a_sign(formula, printed):
    assert worked(formula) == printed


def test_a_variance_is_worked_out_with_its_mean():
    assert worked("var(x)") == (r"\frac{(-1 - 2)^2 + (3 - 2)^2 + (4 - 2)^2}{3} \approx 4.667")
    assert worked("var(X, 0)", 0, 1) == (r"\frac{(-1 - 2)^2 + (2 - 2)^2 + (5 - 2)^2}{3} = 6")


def test_means_and_variances_within_a_formula_are_their_numbers():
    assert worked("(x - mean(x)) / sqrt(var(x))", 0, 1) == (
        r"\frac{3 - 2}{\sqrt{4.667}} \approx 0.463"
    )


def test_of_many_terms_the_first_and_the_last_are_written():
    assert worked("sum(long)") == r"1 + 2 + \dots + 8 = 36"
    assert worked("mean(long)") == r"\frac{1 + 2 + \dots + 8}{8} = 4.5"
    assert worked("max(long)") == r"\max(1,\, 2,\, \dots,\, 8) = 8"


@each("formula, printed", [("X[1]", "1.5"), ("rope(X)", "0.5"), ("where(x > 0, x, 0)", "0")])
def test_a_number_that_is_only_picked_is_not_set_equal_to_itself(formula, printed):
    assert worked(formula) == printed


def test_a_cell_of_an_outer_product_is_one_product():
    assert worked("outer(x, long)", 1, 3) == r"3 \cdot 4 = 12"


def test_a_cell_of_a_matrix_times_a_vector_takes_its_own_row():
    assert worked("X @ pair", 0, 1) == r"1.5 \cdot 2 + 2 \cdot (-1) = 1"
    assert worked("pair @ X.T", 0, 2) == r"2 \cdot (-0.5) + (-1) \cdot 5 = -6"


@each(
    "formula",
    [
        *("x + 1", "X @ X.T", "X @ pair", "pair @ X.T", "mean(X, 0)", "sum(X, 1)", "max(X, 1)"),
        *("var(X, 0)", "outer(x, pair)", "x / (1 + sum(x ** 2))", "a ** 2 * X", "X - mean(X, 0)"),
        *("exp(-x)", "-x", "norm(x) * pair", "dot(pair, pair) - X"),
    ],
)
def test_every_cell_is_written_out_so_that_it_comes_to_its_number(formula):
    tree = parse(formula)
    result = np.atleast_2d(compute(tree, SCOPE)(EXACT, VALUES))
    for row, column in np.ndindex(result.shape):
        left, sign, right = re.split(r"(=|\\approx)", worked(formula, row, column))
        assert evaluated(left) == pytest.approx(
            result[row, column], abs=1e-9 + 0.001 * (sign != "=")
        )
        assert float(right) == round(result[row, column], 3)


def evaluated(latex):
    """Return the number that a worked cell comes to."""
    for pattern, python in (
        (r"\\frac\{(.*)\}\{(.*)\}", r"((\1)/(\2))"),
        (r"\\sqrt\{(.*?)\}(?!\})", r"((\1)**0.5)"),
        (r"\\max\((.*)\)", r"max([\1])"),
        (r"\\(?:left|right|bigl|bigr)", ""),
        (r"\\cdot", "*"),
        (r"\\,", ""),
        (r"\^\{(.*?)\}", r"**(\1)"),
        (r"\^(\d)", r"**\1"),
        (r"\be\b", repr(np.e)),
    ):
        latex = re.sub(pattern, python, latex)
    return eval(latex)  # noqa: S307 - ours
