"""Steps that many families share: the computation, a worked cell and the known mistakes.

Each function takes the step's key and label, then readers of its inputs. `axes` has one name for a
vector (one word's), two for a matrix (a row for each word); `more` are the family's own mistakes.
"""

from collections.abc import Callable

from attention_core.maths.activations import relu
from attention_core.problems.family import Compute, Given, Mistake, Step, Values
from attention_core.problems.inputs import Read, reader
from attention_core.problems.latex import (
    at,
    equals,
    factor,
    first_of,
    line,
    number,
    quotient,
    softmax_cell,
    sum_of_products,
)
from attention_core.problems.mistakes import (
    no_bias,
    no_relu,
    no_residual,
    norm_mistakes,
    relu_for_signs,
    scale_mistakes,
    softmax_mistakes,
)
from attention_core.problems.rounding import EXACT, transpose

type Axes = tuple[str, ...]

PLACES = ("places",)
# The gain, shift and ε of a layer norm before training.
PLAIN_NORM = (
    Given("gamma", "$\\gamma$", value=lambda v: 1),
    Given("beta", "$\\beta$", value=lambda v: 0),
    Given("epsilon", "$\\varepsilon$", value=lambda v: 0),
)
SUBTRACT_AND_DIVIDE = "Subtract the mean, then divide by the standard deviation."
EVERY_SCORE = "Each cell is the dot product of its row’s query and its column’s key."
EVERY_OUTPUT = "Each row is that word’s weighted sum of all the values."
WHY_SCALE = "Scores grow with the width of the keys. What do you divide by to undo that?"
TO_WEIGHTS = "Weights are positive and sum to 1. Which function turns scores into such numbers?"
TO_ROWS = "Weights are positive, and each row of them sums to 1. Work on one row at a time."
TO_COLUMNS = "Weights are positive, and each column of them sums to 1. Work on one at a time."
RELU_FIRST = "There’s a ReLU between the two layers. What does it do to negative numbers?"
NORM_OF_A_ROW = "LayerNorm doesn’t look beyond this row. Which two numbers of the row does it need?"
# By the number of axes: for one score, for a row, for a matrix.
SCALED = (
    r"\frac{q \cdot k}{\sqrt{d_k}}",
    r"s_j = \frac{q \cdot k_j}{\sqrt{d_k}}",
    r"s_{ij} = \frac{q_i \cdot k_j}{\sqrt{d_k}}",
)
SOFTMAX = (
    "",
    r"a_j = \frac{e^{s_j}}{\sum_m e^{s_m}}",
    r"a_{ij} = \frac{e^{s_{ij}}}{\sum_m e^{s_{im}}}",
)
LAYER_NORM = (
    r"\begin{gathered} y_i = \frac{x_i - \mu}{\sigma} \\ "
    r"\sigma^2 = \tfrac{1}{d} \sum_i (x_i - \mu)^2 \end{gathered}"
)
ONE_ROW = "Take $e$ to the power of each score, then divide by the sum of these powers."
ALL_ROWS = "Apply the softmax row by row, so that each row sums to 1."
ALL_COLUMNS = "Apply the softmax column by column, so that each column sums to 1."
SOFTMAX_OF_COLUMNS = r"a_{ij} = \frac{e^{s_{ij}}}{\sum_m e^{s_{mj}}}"


def scaling(
    label: str,
    scores: Read,
    d_k: Read,
    *more: Mistake,
    axes: Axes,
    name: str = r"\frac{q_1 \cdot k_1}{\sqrt{d_k}}",
    how: str = "Divide every score by $\\sqrt{d_k}$.",
    seconds: int = 8,
    nudge: str = WHY_SCALE,
) -> Step:
    """Return the step `scaled`: scores over √d_k."""

    def cell(v: Values, row: int, column: int) -> str:
        below = rf"\sqrt{{{number(d_k(v))}}}"
        return quotient(number(at(scores(v), row, column)), below, at(v.scaled, row, column))

    return Step(
        key="scaled",
        label=label,
        axes=axes,
        compute=lambda way, v: way.scale(scores(v), d_k(v)),
        how=how,
        nudge=nudge,
        formula=SCALED[len(axes)],
        worked=first_of(name, cell),
        cell=cell,
        seconds=seconds,
        mistakes=(*scale_mistakes(scores, d_k), *more),
    )


def scores_of(queries: Read, keys: Read) -> Read:
    """Return a reader of the scores of one query, or each, with all keys; not rounded yet."""
    return lambda v: EXACT.times(queries(v), transpose(keys(v)))


def scaled_scores(
    key: str,
    label: str,
    queries: Read,
    keys: Read,
    *mistakes: Mistake,
    axes: Axes,
    name: str = r"\frac{q_1 \cdot k_1}{\sqrt{d_k}}",
    how: str,
    seconds: int = 18,
    nudge: str = WHY_SCALE,
    formula: str = "",
) -> Step:
    """Return a step with the scores of queries and keys over √d_k, all in one."""
    scores = scores_of(queries, keys)

    def cell(v: Values, row: int, column: int) -> str:
        products = sum_of_products(line(queries(v), row), keys(v)[column])
        return quotient(products, rf"\sqrt{{{keys(v).shape[-1]}}}", at(v[key], row, column))

    return Step(
        key=key,
        label=label,
        axes=axes,
        compute=lambda way, v: way.scale(scores(v), keys(v).shape[-1]),
        how=how,
        nudge=nudge,
        formula=formula or SCALED[len(axes)],
        worked=first_of(name, cell),
        cell=cell,
        seconds=seconds,
        mistakes=mistakes,
    )


def softmax(
    key: str,
    label: str,
    scores: Read,
    *more: Mistake,
    axes: Axes,
    name: str = "",
    how: str = ONE_ROW,
    seconds: int = 18,
    nudge: str = "",
    formula: str = "",
) -> Step:
    """Return a step that turns scores into weights that sum to 1 in each row."""
    name = name or ("a_1" if len(axes) == 1 else "a_{11}")

    def cell(v: Values, row: int, column: int) -> str:
        return softmax_cell(line(scores(v), row), column, at(v[key], row, column))

    return Step(
        key=key,
        label=label,
        axes=axes,
        compute=lambda way, v: way.softmax(scores(v)),
        how=how,
        nudge=nudge or (TO_WEIGHTS if len(axes) == 1 else TO_ROWS),
        formula=formula or SOFTMAX[len(axes)],
        worked=first_of(name, cell),
        cell=cell,
        seconds=seconds,
        mistakes=(*softmax_mistakes(scores), *more),
    )


def product(
    key: str,
    label: str,
    rows: Read,
    matrix: Read,
    *mistakes: Mistake,
    axes: Axes,
    name: str,
    how: str,
    seconds: int = 18,
    nudge: str,
    formula: str,
) -> Step:
    """Return a step of a row, or rows, times a matrix: a projection, or a blend of values."""

    def cell(v: Values, row: int, column: int) -> str:
        products = sum_of_products(line(rows(v), row), matrix(v)[:, column])
        return f"{products} {equals(at(v[key], row, column))}"

    return Step(
        key=key,
        label=label,
        axes=axes,
        compute=lambda way, v: way.times(rows(v), matrix(v)),
        how=how,
        nudge=nudge,
        formula=formula,
        worked=first_of(name, cell),
        cell=cell,
        seconds=seconds,
        mistakes=mistakes,
    )


def layer(
    key: str,
    label: str,
    x: Read,
    which: int,
    *more: Mistake,
    name: str,
    how: str,
    seconds: int = 15,
    nudge: str,
    formula: str,
) -> Step:
    """Return a step xW + b, with the givens `W_1` and `b_1`, or `W_2` and `b_2`."""
    W, b = reader(f"W_{which}"), reader(f"b_{which}")

    def cell(v: Values, row: int, column: int) -> str:
        products = sum_of_products(x(v), W(v)[:, column])
        return f"{products} + {factor(b(v)[column])} {equals(v[key][column])}"

    return Step(
        key=key,
        label=label,
        axes=PLACES,
        compute=lambda way, v: way.layer(x(v), W(v), b(v)),
        how=how,
        nudge=nudge,
        formula=formula,
        worked=first_of(name, cell),
        cell=cell,
        seconds=seconds,
        mistakes=(no_bias(f"$b_{which}$", x, W), *more),
    )


def layer_after_relu(key: str, label: str, before: Read, *more: Mistake, seconds: int = 15) -> Step:
    """Return the step of the second layer, whose input is the ReLU of the first one's output."""
    return layer(
        key,
        label,
        lambda v: relu(before(v)),
        2,
        no_relu(before),
        relu_for_signs(before),
        *more,
        name="f_1",
        how="Set negative numbers to 0, multiply by each column of $W_2$ and add the bias.",
        nudge=RELU_FIRST,
        formula=r"f = \mathrm{ReLU}(h)\, W_2 + b_2",
        seconds=seconds,
    )


def residual(
    key: str,
    label: str,
    x: Read,
    sublayer: Read,
    *more: Mistake,
    name: str,
    how: str,
    nudge: str,
    formula: str,
) -> Step:
    """Return a step that adds a sublayer's input to its output."""

    def cell(v: Values, row: int, column: int) -> str:
        terms = f"{number(x(v)[column])} + {factor(sublayer(v)[column])}"
        return f"{terms} {equals(v[key][column])}"

    return Step(
        key=key,
        label=label,
        axes=PLACES,
        compute=lambda way, v: way.round(x(v) + sublayer(v)),
        how=how,
        nudge=nudge,
        formula=formula,
        worked=first_of(name, cell),
        cell=cell,
        seconds=5,
        mistakes=(no_residual(sublayer), *more),
    )


def norm(
    key: str,
    label: str,
    x: Read,
    *more: Mistake,
    name: str = "y_1",
    how: str = SUBTRACT_AND_DIVIDE,
    seconds: int = 18,
    nudge: str = NORM_OF_A_ROW,
    formula: str = LAYER_NORM,
) -> Step:
    """Return a step with the layer norm over the features of one word."""

    def cell(v: Values, row: int, column: int) -> str:
        vector = x(v)
        deviation = f"{number(vector[column])} - {factor(vector.mean())}"
        return quotient(deviation, number(vector.std()), v[key][column])

    return Step(
        key=key,
        label=label,
        axes=PLACES,
        compute=lambda way, v: way.layer_norm(x(v)),
        how=how,
        nudge=nudge,
        formula=formula,
        worked=first_of(name, cell),
        cell=cell,
        seconds=seconds,
        mistakes=(*norm_mistakes(x), *more),
    )


def count(
    key: str,
    label: str,
    compute: Compute,
    worked: Callable[[Values], str],
    *mistakes: Mistake,
    how: str,
    seconds: int,
    nudge: str,
    formula: str,
) -> Step:
    """Return a step that asks for a whole number."""
    return Step(
        key,
        label,
        (),
        compute,
        how,
        worked,
        mistakes,
        seconds=seconds,
        decimals=0,
        nudge=nudge,
        formula=formula,
    )


def choice(
    key: str,
    label: str,
    among: str,
    compute: Compute,
    worked: Callable[[Values], str],
    *,
    how: str,
    wrong: str,
    seconds: int,
    nudge: str,
    formula: str,
) -> Step:
    """Return a step that asks to choose one of these words; its value is the place from 0."""
    return Step(
        key,
        label,
        (),
        compute,
        how,
        worked,
        mistakes=(),
        seconds=seconds,
        choices=among,
        wrong_choice=wrong,
        nudge=nudge,
        formula=formula,
    )
