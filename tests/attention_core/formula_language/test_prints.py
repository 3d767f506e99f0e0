"""Formulas in LaTeX and in NumPy say what is computed."""

import numpy as np

from attention_core.catalogue import draw_unproved
from attention_core.formulas import read
from attention_core.formulas.compute import compute
from attention_core.formulas.lengths import Length
from attention_core.formulas.programs import numpy_line
from attention_core.formulas.shapes import Scope
from attention_core.formulas.symbols import latex, symbol
from attention_core.formulas.trees import parse
from attention_core.problems.code import numpy_program
from attention_core.problems.family import Values
from attention_core.problems.rounding import EXACT
from tests.each import each

VALUES = Values(
    x=np.array([1.0, -2.0, 0.5]),
    y=np.array([0.4, 3.0, 1.5]),
    X=np.arange(9.0).reshape(3, 3) / 4 - 1,
    a=np.array(1.7),
    b=np.array(-0.3),
)
SCOPE = Scope({name: tuple(map(Length, array.shape)) for name, array in VALUES.items()})


@each(
    "formula, printed",
    [
        ("sum(x) ** 2", r"\left(\textstyle\sum x\right)^{2}"),
        ("sum(x + y)", r"\textstyle\sum \left(x + y\right)"),
        ("sum(x) * a", r"\left(\textstyle\sum x\right) \cdot a"),
        ("-sum(x * y)", r"-\textstyle\sum x \odot y"),
        ("exp(a) ** 2", r"\left(e^{a}\right)^{2}"),
        ("dot(x + y, y) ** 2", r"\left(\left(x + y\right) \cdot y\right)^{2}"),
        ("outer(x + y, y)", r"\left(x + y\right) \otimes y"),
        ("a - -b", r"a - \left(-b\right)"),
        ("a * -2", r"a \cdot \left(-2\right)"),
    ],
)
def test_brackets_stand_where_latex_needs_them(formula, printed):
    assert latex(parse(formula), SCOPE) == printed


@each(
    "formula, printed",
    [
        ("mean(X, 0)", r"\mathrm{mean}_i(X)"),
        ("sum(X, axis=1)", r"\textstyle\sum_j X"),
        ("max(X / a, -1)", r"\max_j\left(\frac{X}{a}\right)"),
        ("softmax(X, 0)", r"\mathrm{softmax}_i(X)"),
        ("softmax(X)", r"\mathrm{softmax}(X)"),
        ("mean(X)", r"\mathrm{mean}(X)"),
        ("mean(x, 0)", r"\mathrm{mean}(x)"),
    ],
)
def test_an_axis_is_told_by_the_index_that_runs_along_it(formula, printed):
    assert latex(parse(formula), SCOPE) == printed


@each(
    "name, printed",
    [
        ("z_scores", r"z_{\text{scores}}"),
        ("W_out", r"W_{\text{out}}"),
        ("sigma_x", r"\sigma_x"),
        ("x_12", "x_{12}"),
        ("mean_x", r"\mathrm{mean}_x"),
    ],
)
def test_words_in_a_name_are_upright(name, printed):
    assert symbol(name) == printed


@each(
    "formula",
    [
        "dot(x + y, y) ** 2",
        "dot(x, y) / dot(y, y)",
        "silu(x + y) / 2",
        "2 / silu(a)",
        "2 ** -a",
        "softmax(X + 1, 0)",
        "mean(X ** 2, 0)",
        "var(X, 1)",
    ],
)
def test_a_line_of_numpy_computes_its_formula(formula):
    tree = parse(formula)
    names = {"np": np, "softmax": lambda x: np.exp(x) / np.exp(x).sum(-1, keepdims=True), **VALUES}
    exec(numpy_line("result", tree, SCOPE), names)  # noqa: S102 - ours
    np.testing.assert_allclose(names["result"], compute(tree, SCOPE)(EXACT, VALUES))


def test_a_program_has_the_functions_that_numpy_lacks():
    family = read(
        "X: tenths(3, 4)\nnormed = layer_norm(X)\nroots = rms_norm(X)\n"
        "turned = rope(X)\nactive = gelu(X)\nweights = softmax(X, 0)",
        "lacking",
    )
    problem = draw_unproved(family, {}, "1", 0)
    names = {}
    exec(numpy_program(problem), names)  # noqa: S102 - ours
    for step, right in problem.solution.items():
        np.testing.assert_allclose(names[step], right, atol=1e-9, err_msg=step)


@each("formula", ["softmax(X, axis=0)", "softmax(X, 0)", "softmax(X, axis=-2)"])
def test_a_softmax_over_columns_is_told_by_columns(formula):
    step = read(f"X: tenths(3, 2)\ns = {formula}", "own").step("s")
    assert step.how == "Apply the softmax column by column, so that each column sums to 1."
    assert "each column" in step.nudge
    assert "s_{mj}" in step.formula


@each("formula", ["softmax(X)", "softmax(X, 1)", "softmax(X, axis=1)"])
def test_a_softmax_over_rows_is_told_by_rows(formula):
    step = read(f"X: tenths(3, 2)\ns = {formula}", "own").step("s")
    assert "row by row" in step.how
    assert "s_{im}" in step.formula
