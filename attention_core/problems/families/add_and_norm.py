"""The residual and the norm that closes a sublayer: LayerNorm(x + z), for one word."""

import numpy as np

from attention_core.maths.softmax import Array
from attention_core.problems.drawing import Stream
from attention_core.problems.family import Drawn, Family, Given, Mistake, Options, Step, Values
from attention_core.problems.mistakes import no_residual, norm_before_add, norm_mistakes
from attention_core.problems.ways import Way, pick, transpose
from attention_core.problems.worked import factor, layer_norm_cell, number


def draw(stream: Stream, sizes: Options) -> Drawn:
    shape = sizes["tokens"], sizes["width"]
    sentence = stream.sentence(sizes["tokens"])
    asked = stream.below(len(sentence))
    return Drawn(
        numbers={
            "X": stream.tenths(*shape),
            "Z": stream.tenths(*shape),
            "asked": np.eye(len(sentence))[asked],  # 1 at the word asked for
        },
        words={"tokens": sentence, "word": (sentence[asked],)},
    )


def x_of(v: Values) -> Array:
    return pick(v.asked, v.X)


def z_of(v: Values) -> Array:
    return pick(v.asked, v.Z)


def residual_of(v: Values) -> Array:
    return v.residual


def residual(way: Way, v: Values) -> Array:
    return way.keep(x_of(v) + z_of(v))


def multiplied(way: Way, v: Values) -> Array:
    return way.keep(x_of(v) * z_of(v))


def subtracted(way: Way, v: Values) -> Array:
    return way.keep(x_of(v) - z_of(v))


def normed(way: Way, v: Values) -> Array:
    return way.layer_norm(v.residual)


def normed_over_words(way: Way, v: Values) -> Array:
    by_feature = transpose(way.keep(v.X + v.Z))
    return pick(v.asked, transpose(way.layer_norm(by_feature)))


def deviation_is_fair(v: Values) -> bool:
    """A small one makes its own rounding matter more than the vector."""
    return bool(v.residual.std() >= 0.5)


def features_differ(v: Values) -> np.ndarray:
    """Over words that are nearly alike in a feature, a norm cannot be followed by hand."""
    return np.asarray((v.X + v.Z).std(axis=-2).min(axis=-1) >= 0.5)


def worked_residual(v: Values) -> str:
    x, z = x_of(v)[0], z_of(v)[0]
    return f"x_1 + z_1 = {number(x)} + {factor(z)} = {number(v.residual[0])}"


FAMILY = Family(
    key="add_and_norm",
    title="Add and norm",
    summary="The residual adds the input back, then LayerNorm evens out each word.",
    options={"tokens": (3, 2, 4), "width": (4, 3)},
    draw=draw,
    fit=deviation_is_fair,
    statement=(
        "The words of “{tokens}” went through self-attention: $X$ went in, $Z$ came out. For "
        "**{word}**, add the residual, then apply LayerNorm (with $\\gamma = 1$, $\\beta = 0$, "
        "$\\varepsilon = 0$)."
    ),
    givens=(
        Given("X", "$X$, what went in", ("tokens", "places")),
        Given("Z", "$Z$, what came out", ("tokens", "places")),
    ),
    steps=(
        Step(
            key="residual",
            label="{word} with the residual added",
            axes=("places",),
            compute=residual,
            how="Add what went in to what came out, place by place.",
            worked=worked_residual,
            seconds=5,
            mistakes=(
                no_residual(z_of),
                Mistake(
                    "multiplied_residual",
                    multiplied,
                    "The residual is added; you multiplied place by place.",
                ),
                Mistake(
                    "subtracted_residual",
                    subtracted,
                    "The residual is a sum, $X + Z$; you took the difference.",
                ),
            ),
        ),
        Step(
            key="normed",
            label="{word} after LayerNorm",
            axes=("places",),
            compute=normed,
            how="Subtract the mean of the row, then divide by its standard deviation.",
            worked=lambda v: layer_norm_cell("y_1", v.residual, v.normed[0]),
            seconds=20,
            mistakes=(
                *norm_mistakes(residual_of),
                Mistake(
                    "across_tokens",
                    normed_over_words,
                    "You normalised each feature over the words; normalise each word over its "
                    "features.",
                    when=features_differ,
                ),
                norm_before_add(x_of, z_of),
                Mistake(
                    "no_residual",
                    lambda way, v: way.layer_norm(z_of(v)),
                    "You normalised the row of $Z$ alone: normalise the sum with the residual.",
                ),
            ),
        ),
    ),
)
