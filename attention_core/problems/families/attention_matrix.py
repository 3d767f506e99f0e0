"""From raw scores to the attention matrix: scale, then a softmax along each row."""

import numpy as np

from attention_core.maths.softmax import Array
from attention_core.problems.drawing import Stream
from attention_core.problems.family import Drawn, Family, Given, Options, Step, Values
from attention_core.problems.mistakes import (
    base_two,
    column_softmax,
    equal_weights,
    global_softmax,
    hard_max,
    multiplied_scale,
    no_exponential,
    scaled_by_dk,
    scaled_by_tokens,
    unnormalised,
    unscaled,
)
from attention_core.problems.ways import Way
from attention_core.problems.worked import fraction, number, softmax_cell

# Widths whose roots three decimals hold well.
KEY_WIDTHS = (2, 3, 4, 5, 7, 9, 10)


def draw(stream: Stream, sizes: Options) -> Drawn:
    tokens = sizes["tokens"]
    scores = stream.tenths(tokens, tokens)
    # A word suits itself. So no row, and no column that is taken for one, is all negative:
    # every exponential would be below 1 then, and rounding them would ruin the weights.
    np.fill_diagonal(scores, np.abs(scores.diagonal()))
    return Drawn(
        numbers={
            "scores": scores,
            "d_k": np.array(stream.choice(KEY_WIDTHS)),
        },
        words={"tokens": stream.sentence(tokens)},
    )


def scores_of(v: Values) -> Array:
    return v.scores


def scaled_of(v: Values) -> Array:
    return v.scaled


def d_k_of(v: Values) -> Array:
    return v.d_k


def scaled(way: Way, v: Values) -> Array:
    return way.divide(v.scores, way.root(v.d_k))


def weights(way: Way, v: Values) -> Array:
    return way.softmax(v.scaled)


def worked_scaled(v: Values) -> str:
    above, below = number(v.scores[0, 0]), rf"\sqrt{{{v.d_k:g}}}"
    return fraction(r"\frac{q_1 \cdot k_1}{\sqrt{d_k}}", above, below, v.scaled[0, 0])


def worked_weights(v: Values) -> str:
    return softmax_cell("a_{11}", v.scaled[0], 0, v.weights[0, 0])


FAMILY = Family(
    key="attention_matrix",
    title="From scores to the attention matrix",
    summary="Scaling and softmax: every row becomes one word’s attention.",
    options={"tokens": (3, 2)},
    draw=draw,
    statement=(
        "In “{tokens}” these are the raw scores: a row for each query, a column for each key. "
        "The keys are $d_k = {d_k}$ wide. Scale the scores, then find the attention matrix $A$."
    ),
    givens=(
        Given("scores", "The raw scores", ("tokens", "tokens")),
        Given("d_k", "$d_k$, the width of a key"),
    ),
    steps=(
        Step(
            key="scaled",
            label="The scaled scores",
            axes=("tokens", "tokens"),
            compute=scaled,
            how="Divide every score by $\\sqrt{d_k}$.",
            worked=worked_scaled,
            seconds=8,
            mistakes=(
                unscaled(scores_of),
                scaled_by_dk(scores_of, d_k_of),
                multiplied_scale(scores_of, d_k_of),
                scaled_by_tokens(scores_of, d_k_of),
            ),
        ),
        Step(
            key="weights",
            label="$A$, the attention matrix",
            axes=("tokens", "tokens"),
            compute=weights,
            how="Apply the softmax to each row, so that it sums to 1.",
            worked=worked_weights,
            seconds=18,
            mistakes=(
                column_softmax(scaled_of),
                global_softmax(scaled_of),
                no_exponential(scaled_of),
                unnormalised(scaled_of),
                base_two(scaled_of),
                hard_max(scaled_of),
                equal_weights(scaled_of),
            ),
        ),
    ),
)
