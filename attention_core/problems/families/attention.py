"""The whole of scaled dot-product attention, in its four steps."""

import numpy as np

from attention_core.maths.softmax import Array
from attention_core.problems.drawing import Stream
from attention_core.problems.family import Drawn, Family, Given, Mistake, Options, Step, Values
from attention_core.problems.mistakes import (
    base_two,
    column_softmax,
    global_softmax,
    hard_max,
    multiplied_scale,
    no_exponential,
    one_hot_largest,
    scaled_by_dk,
    scaled_by_tokens,
    uniform_mix,
    unnormalised,
    unscaled,
)
from attention_core.problems.ways import Way, transpose
from attention_core.problems.worked import dot_product, fraction, number, softmax_cell


def draw(stream: Stream, sizes: Options) -> Drawn:
    shape = sizes["tokens"], sizes["width"]
    return Drawn(
        numbers={
            # Larger ones make scores beyond what careful rounding survives.
            "Q": stream.tenths(*shape, low=-1.5, high=1.5),
            "K": stream.tenths(*shape, low=-1.5, high=1.5),
            "V": stream.tenths(*shape),
        },
        words={"tokens": stream.sentence(sizes["tokens"])},
    )


def width_of_key(v: Values) -> Array:
    return np.full(v.K.shape[:-2], float(v.K.shape[-1]))


def scores_of(v: Values) -> Array:
    return v.scores


def scaled_of(v: Values) -> Array:
    return v.scaled


def values_of(v: Values) -> Array:
    return v.V


def is_square(v: Values) -> bool:
    return bool(v.Q.shape[-1] == v.Q.shape[-2])


def scores(way: Way, v: Values) -> Array:
    return way.product(v.Q, transpose(v.K))


def scaled(way: Way, v: Values) -> Array:
    return way.divide(v.scores, way.root(width_of_key(v)))


def weights(way: Way, v: Values) -> Array:
    return way.softmax(v.scaled)


def output(way: Way, v: Values) -> Array:
    return way.product(v.weights, v.V)


def scores_stay_small(v: Values) -> bool:
    """Beyond these, rounding the exponentials strays too far."""
    return bool(np.abs(v.scaled).max() <= 4 and v.scaled.max(axis=-1).min() >= 0)


FAMILY = Family(
    key="attention",
    title="Attention in four steps",
    summary="From queries, keys and values to the output, with follow-through at every step.",
    options={"tokens": (2, 3), "width": (3, 2, 4)},
    draw=draw,
    fit=scores_stay_small,
    statement=(
        "For “{tokens}” here are the queries, keys and values, a row for each word. "
        "Work through attention: $\\mathrm{softmax}\\left(\\frac{QK^\\top}{\\sqrt{d_k}}\\right)V$."
    ),
    givens=(
        Given("Q", "$Q$, the queries", ("tokens", "places")),
        Given("K", "$K$, the keys", ("tokens", "places")),
        Given("V", "$V$, the values", ("tokens", "places")),
    ),
    steps=(
        Step(
            key="scores",
            label="$QK^\\top$, the raw scores",
            axes=("tokens", "tokens"),
            compute=scores,
            how="Each cell is the dot product of its row’s query and its column’s key.",
            worked=lambda v: dot_product(r"q_1 \cdot k_1", v.Q[0], v.K[0], v.scores[0, 0]),
            seconds=20,
            mistakes=(
                Mistake(
                    "transposed",
                    lambda way, v: way.product(v.K, transpose(v.Q)),
                    "Rows belong to queries, columns to keys: you formed $KQ^\\top$.",
                ),
                Mistake(
                    "elementwise",
                    lambda way, v: way.keep(v.Q * v.K),
                    "Multiply row by row and add up; you multiplied cell by cell.",
                    when=is_square,
                ),
            ),
        ),
        Step(
            key="scaled",
            label="The scaled scores",
            axes=("tokens", "tokens"),
            compute=scaled,
            how="Divide every score by $\\sqrt{d_k}$, the root of the width of a key.",
            worked=lambda v: fraction(
                r"\frac{q_1 \cdot k_1}{\sqrt{d_k}}",
                number(v.scores[0, 0]),
                rf"\sqrt{{{v.K.shape[-1]}}}",
                v.scaled[0, 0],
            ),
            seconds=8,
            mistakes=(
                unscaled(scores_of),
                scaled_by_dk(scores_of, width_of_key),
                multiplied_scale(scores_of, width_of_key),
                scaled_by_tokens(scores_of, width_of_key),
            ),
        ),
        Step(
            key="weights",
            label="$A$, the attention weights",
            axes=("tokens", "tokens"),
            compute=weights,
            how="Apply the softmax to each row, so that it sums to 1.",
            worked=lambda v: softmax_cell("a_{11}", v.scaled[0], 0, v.weights[0, 0]),
            seconds=18,
            mistakes=(
                column_softmax(scaled_of),
                global_softmax(scaled_of),
                no_exponential(scaled_of),
                unnormalised(scaled_of),
                base_two(scaled_of),
                hard_max(scaled_of),
            ),
        ),
        Step(
            key="output",
            label="The output $AV$",
            axes=("tokens", "places"),
            compute=output,
            how="Each row is that word’s weighted sum of all the values.",
            worked=lambda v: dot_product("z_{11}", v.weights[0], v.V[:, 0], v.output[0, 0]),
            seconds=18,
            mistakes=(
                Mistake(
                    "mixed_keys",
                    lambda way, v: way.product(v.weights, v.K),
                    "The *values* are what is mixed; you mixed the keys.",
                ),
                Mistake(
                    "weight_column",
                    lambda way, v: way.product(transpose(v.weights), v.V),
                    "Use the query’s *row* of weights; you used a column.",
                ),
                uniform_mix(values_of),
                Mistake(
                    "hard_max",
                    lambda way, v: way.product(one_hot_largest(v.weights), v.V),
                    "Attention blends; it does not choose. Every value takes part by its weight.",
                ),
            ),
        ),
    ),
)
