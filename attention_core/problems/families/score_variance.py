"""The reason for √d_k: a dot product of d_k products has d_k times the variance of one.

Version 1 gave the width alone; its entries had the variance 1, as they still have where none is
given.
"""

import numpy as np

from attention_core.maths.arrays import Array
from attention_core.problems.drawing import Stream
from attention_core.problems.family import Drawn, Family, Given, Mistake, Options, Step, Values
from attention_core.problems.latex import equals, fraction, number
from attention_core.problems.rounding import Way


def draw(stream: Stream, sizes: Options) -> Drawn:
    return Drawn(
        numbers={
            "query_variance": stream.tenths(low=0.5),
            "key_variance": stream.tenths(low=0.5),
            "d_k": np.array(5 + stream.below(124)),
        }
    )


def query_variance(v: Values) -> Array:
    return v.get("query_variance", np.array(1.0))


def key_variance(v: Values) -> Array:
    return v.get("key_variance", np.array(1.0))


def variance_of_one(v: Values) -> Array:
    """Return the variance of one product: with means of 0, the product of the variances."""
    return query_variance(v) * key_variance(v)


def scaled_variance(way: Way, v: Values) -> Array:
    # A factor √(1/d_k) on the score is 1/d_k on its variance. Nobody multiplies by a rounded
    # reciprocal of so large a whole number.
    return way.round(v.variance / v.d_k)


VARIANCE = Step(
    key="variance",
    label="The variance of the raw score",
    axes=(),
    compute=lambda way, v: v.d_k * variance_of_one(v),
    how=(
        "With means of 0, each product’s variance is the product of the two variances. The "
        "products are independent, so their variances add up."
    ),
    nudge="The score adds up $d_k$ independent products. What’s the variance of one?",
    formula=r"\mathrm{Var}(q \cdot k) = d_k \, \mathrm{Var}(q_i)\, \mathrm{Var}(k_i)",
    worked=lambda v: (
        rf"{number(v.d_k)} \cdot {number(query_variance(v))} \cdot {number(key_variance(v))} "
        + equals(v.variance)
    ),
    seconds=12,
    mistakes=(
        Mistake(
            "root_too_early",
            lambda way, v: way.root(v.d_k * variance_of_one(v)),
            "You took the root, and that’s the standard deviation. Just add up the products’ "
            "variances.",
        ),
        Mistake(
            "stays_one",
            lambda way, v: np.ones_like(v.d_k) * variance_of_one(v),
            "You found the variance of one product; the score adds up $d_k$ of them.",
        ),
        Mistake(
            "squared",
            lambda way, v: v.d_k * v.d_k * variance_of_one(v),
            "You squared $d_k$. Independent variances just add up, so multiply by $d_k$ once.",
        ),
        Mistake(
            "doubled",
            lambda way, v: v.d_k * (query_variance(v) + key_variance(v)),
            "You added the two variances; multiply them. A *product* of two such entries has the "
            "product of their variances.",
        ),
        Mistake(
            "width_alone",
            lambda way, v: v.d_k,
            "You used variance 1 for each product. It’s the product of the two variances.",
            when=lambda v: variance_of_one(v) != 1,
        ),
    ),
)

DEVIATION = Step(
    key="deviation",
    label="The standard deviation of the raw score",
    axes=(),
    compute=lambda way, v: way.root(v.variance),
    how="Take the root of the variance.",
    nudge="The variance is in squared units. How do you get back to the score’s own unit?",
    formula=r"\sigma = \sqrt{\mathrm{Var}(q \cdot k)}",
    worked=lambda v: rf"\sqrt{{{number(v.variance)}}} {equals(v.deviation)}",
    seconds=12,
    mistakes=(
        Mistake(
            "variance_not_sd",
            lambda way, v: v.variance,
            "You gave the variance again. Take its square root.",
        ),
        Mistake(
            "halved",
            lambda way, v: way.round(v.variance / 2),
            "You halved the variance. Take its square root.",
        ),
    ),
)

SCALED_VARIANCE = Step(
    key="scaled_variance",
    label="The variance of the scaled score",
    axes=(),
    compute=scaled_variance,
    how="The score is divided by $\\sqrt{d_k}$, so its variance is divided by $d_k$.",
    nudge="What does dividing a number by $c$ do to its variance?",
    formula=(
        r"\mathrm{Var}\!\left(\frac{q \cdot k}{\sqrt{d_k}}\right) = \frac{\mathrm{Var}(q \cdot "
        r"k)}{d_k}"
    ),
    worked=lambda v: fraction(
        r"\frac{\mathrm{Var}(q \cdot k)}{d_k}", number(v.variance), number(v.d_k), v.scaled_variance
    ),
    seconds=12,
    mistakes=(
        Mistake(
            "unscaled",
            lambda way, v: v.variance,
            "You gave the raw score’s variance. Dividing the score by $\\sqrt{d_k}$ divides its "
            "variance by $d_k$.",
        ),
        Mistake(
            "root_on_variance",
            lambda way, v: way.round(v.variance / way.root(v.d_k)),
            "You divided the variance by $\\sqrt{d_k}$. "
            "A factor counts *squared* in the variance: divide by $d_k$.",
        ),
        Mistake(
            "scaled_by_dk",
            lambda way, v: way.round(v.variance / (v.d_k * v.d_k)),
            "You divided the variance by $d_k^2$. The score is divided by $\\sqrt{d_k}$, so "
            "divide by $d_k$ once.",
        ),
        Mistake(
            "multiplied_scale",
            lambda way, v: v.variance * v.d_k,
            "You multiplied by $d_k$. Scaling divides the score, so divide the variance too.",
        ),
    ),
)

FAMILY = Family(
    key="score_variance",
    title="The variance of a score",
    summary="Wider keys spread the scores; dividing by the root of the width undoes that.",
    part="dot_product",
    options={},
    draw=draw,
    statement=(
        "A query’s entries have variance {query_variance}, a key’s {key_variance}. They’re all "
        "independent, with mean 0, and both vectors are {d_k} wide. Find the variance of the raw "
        "score $q \\cdot k$, its standard deviation, and the variance of the scaled score."
    ),
    givens=(
        Given("query_variance", "The variance of a query’s entries"),
        Given("key_variance", "The variance of a key’s entries"),
        Given("d_k", "$d_k$, the width of a key"),
        Given("mean", "The mean of an entry", value=lambda v: 0),
    ),
    version=2,
    code="""
variance = d_k * query_variance * key_variance
deviation = np.sqrt(variance)
scaled_variance = variance / d_k
""",
    steps=(VARIANCE, DEVIATION, SCALED_VARIANCE),
)
