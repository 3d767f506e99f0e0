"""A row of attention weights blends the values into one output."""

import numpy as np

from attention_core.maths.softmax import Array
from attention_core.problems.drawing import Stream
from attention_core.problems.family import Drawn, Family, Given, Mistake, Options, Step, Values
from attention_core.problems.mistakes import one_hot_largest
from attention_core.problems.ways import Way, transpose
from attention_core.problems.worked import dot_product


def draw(stream: Stream, sizes: Options) -> Drawn:
    sentence = stream.sentence(sizes["tokens"])
    return Drawn(
        numbers={
            "weights": stream.shares(sizes["tokens"]),
            "V": stream.tenths(sizes["tokens"], sizes["width"]),
        },
        words={"tokens": sentence, "word": (stream.choice(sentence),)},
    )


def output(way: Way, v: Values) -> Array:
    return way.mix(v.weights, v.V)


def plain_average(way: Way, v: Values) -> Array:
    return way.keep(v.V.mean(axis=-2))


def plain_sum(way: Way, v: Values) -> Array:
    return way.keep(v.V.sum(axis=-2))


def largest_only(way: Way, v: Values) -> Array:
    return way.mix(one_hot_largest(v.weights), v.V)


def values_as_columns(way: Way, v: Values) -> Array:
    return way.mix(v.weights, transpose(v.V))


def one_is_largest(v: Values) -> bool:
    return bool(np.sum(v.weights == v.weights.max()) == 1)


def worked(v: Values) -> str:
    return dot_product("z_1", v.weights, v.V[:, 0], v.output[0])


FAMILY = Family(
    key="weighted_value",
    title="Blending the values",
    summary="The output of one word is the weighted sum of all values.",
    options={"tokens": (3, 2, 4), "width": (2, 3, 4)},
    draw=draw,
    fit=one_is_largest,
    statement=(
        "In “{tokens}”, the word **{word}** gives the others these attention weights. "
        "Find its output $z$, the weighted sum of the values."
    ),
    givens=(
        Given("weights", "Attention weights of {word}", ("tokens",)),
        Given("V", "$V$, the values", ("tokens", "places")),
    ),
    steps=(
        Step(
            key="output",
            label="$z$, the output of {word}",
            axes=("places",),
            compute=output,
            how="Multiply each value’s row by its weight and add the rows.",
            worked=worked,
            seconds=25,
            mistakes=(
                Mistake(
                    "uniform",
                    plain_average,
                    "This is the plain average: weigh the values by the attention given.",
                ),
                Mistake(
                    "unweighted_sum",
                    plain_sum,
                    "You added the values as they are; multiply each by its weight first.",
                ),
                Mistake(
                    "hard_max",
                    largest_only,
                    "Attention blends; it does not choose. Every value takes part by its weight.",
                ),
                Mistake(
                    "column_vectors",
                    values_as_columns,
                    "Each weight belongs to a *row* of $V$; you mixed its columns.",
                    when=lambda v: v.V.shape[-1] == v.V.shape[-2],
                ),
            ),
        ),
    ),
)
