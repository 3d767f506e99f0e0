"""The shapes inside multi-head attention, as rows and columns."""

import numpy as np

from attention_core.maths.softmax import Array
from attention_core.problems.drawing import Stream
from attention_core.problems.family import Drawn, Family, Given, Mistake, Options, Step, Values
from attention_core.problems.ways import Way
from attention_core.problems.worked import number

# No number of tokens is a width too, so that every shape tells what it was made of.
TOKENS = (5, 6, 7, 9, 10, 11, 13, 14)
HEADS = (2, 3, 4)
KEY_WIDTHS = (8, 16, 32, 64)
VALUE_WIDTHS = (12, 20, 28, 40, 56)


def draw(stream: Stream, sizes: Options) -> Drawn:
    heads, d_k = stream.choice(HEADS), stream.choice(KEY_WIDTHS)
    return Drawn(
        numbers={
            "T": np.array(stream.choice(TOKENS)),
            "d_model": np.array(heads * d_k),
            "h": np.array(heads),
            "d_v": np.array(stream.choice(VALUE_WIDTHS)),
        },
        words={"sides": ("rows", "columns")},
    )


def shape(rows: Array, columns: Array) -> Array:
    return np.stack([rows, columns], axis=-1)


def d_k(v: Values) -> Array:
    return v.d_model / v.h


def queries(way: Way, v: Values) -> Array:
    return shape(v.T, d_k(v))


def scores(way: Way, v: Values) -> Array:
    return shape(v.T, v.T)


def output(way: Way, v: Values) -> Array:
    return shape(v.T, v.d_v)


def together(way: Way, v: Values) -> Array:
    return shape(v.T, v.h * v.d_v)


def worked(rows: Array, columns: Array) -> str:
    return rf"{number(rows)} \times {number(columns)}"


FAMILY = Family(
    key="shapes",
    title="Shapes in multi-head attention",
    summary="How many rows and columns queries, scores and outputs have.",
    options={},
    draw=draw,
    statement=(
        "A layer reads {T} tokens, each a vector of width {d_model}. It has {h} heads, which share "
        "the width for their queries and keys; each head’s values are {d_v} wide. "
        "Give the shapes as rows and columns."
    ),
    givens=(
        Given("T", "Tokens"),
        Given("d_model", "Width of the model"),
        Given("h", "Heads"),
        Given("d_v", "Width of one head’s values"),
    ),
    steps=(
        Step(
            key="queries",
            label="The queries $Q$ of one head",
            axes=("sides",),
            compute=queries,
            how="A row for each token; the heads share the width: $d_k = d_{model} / h$.",
            worked=lambda v: worked(v.T, d_k(v)),
            decimals=0,
            seconds=8,
            mistakes=(
                Mistake(
                    "head_width",
                    lambda way, v: shape(v.T, v.d_model),
                    "You gave one head the whole width. Each has $d_{model} / h$.",
                ),
                Mistake(
                    "per_head_again",
                    lambda way, v: shape(v.T, v.d_model * v.h),
                    "You multiplied by the heads. They share the width: divide by their number.",
                ),
                Mistake(
                    "transposed",
                    lambda way, v: shape(d_k(v), v.T),
                    "Rows come first: one for each token.",
                ),
                Mistake(
                    "value_width",
                    lambda way, v: shape(v.T, v.d_v),
                    "That is the width of the values. Queries are as wide as keys.",
                ),
            ),
        ),
        Step(
            key="scores",
            label="The scores $QK^\\top$ of one head",
            axes=("sides",),
            compute=scores,
            how="Every token meets every token: a row for each query, a column for each key.",
            worked=lambda v: worked(v.T, v.T),
            decimals=0,
            seconds=6,
            mistakes=(
                Mistake(
                    "feature_gram",
                    lambda way, v: shape(d_k(v), d_k(v)),
                    "That compares features with features. Scores compare tokens with tokens.",
                ),
                Mistake(
                    "not_squared",
                    lambda way, v: shape(v.T, np.ones_like(v.T)),
                    "One score for each token is not enough: every token meets every token.",
                ),
                Mistake(
                    "not_transposed",
                    lambda way, v: shape(v.T, d_k(v)),
                    "$K^\\top$ has a *column* for each token, and so have the scores.",
                ),
            ),
        ),
        Step(
            key="output",
            label="The output $AV$ of one head",
            axes=("sides",),
            compute=output,
            how="A row for each token, as wide as the values.",
            worked=lambda v: worked(v.T, v.d_v),
            decimals=0,
            seconds=6,
            mistakes=(
                Mistake(
                    "key_width",
                    lambda way, v: shape(v.T, d_k(v)),
                    "That is the width of a key. The output is as wide as the *values*.",
                ),
                Mistake(
                    "model_width",
                    lambda way, v: shape(v.T, v.d_model),
                    "That is the width of the model. One head’s output is as wide as its values.",
                ),
                Mistake(
                    "score_shape",
                    lambda way, v: shape(v.T, v.T),
                    "That is the shape of the scores. Times $V$, they get the width of the values.",
                ),
                Mistake(
                    "transposed",
                    lambda way, v: shape(v.d_v, v.T),
                    "Rows come first: one for each token.",
                ),
            ),
        ),
        Step(
            key="together",
            label="All heads’ outputs together, before $W_O$",
            axes=("sides",),
            compute=together,
            how="They stand side by side: the rows stay, the widths add up to $h \\cdot d_v$.",
            worked=lambda v: worked(v.T, v.h * v.d_v),
            decimals=0,
            seconds=8,
            mistakes=(
                Mistake(
                    "heads_averaged",
                    lambda way, v: shape(v.T, v.d_v),
                    "That is one head’s shape. Concatenate the heads; they are not averaged.",
                ),
                Mistake(
                    "heads_stacked",
                    lambda way, v: shape(v.h * v.T, v.d_v),
                    "You put the heads one below the other. They stand side by side.",
                ),
                Mistake(
                    "model_width",
                    lambda way, v: shape(v.T, v.d_model),
                    "The width of the model comes back only after $W_O$, as the values here "
                    "are not $d_{model} / h$ wide.",
                ),
            ),
        ),
    ),
)
