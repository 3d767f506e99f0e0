"""One query against one key: the raw score, then the scaled score."""

import numpy as np

from attention_core.maths.softmax import Array
from attention_core.problems.drawing import Stream
from attention_core.problems.family import Drawn, Family, Given, Mistake, Options, Step, Values
from attention_core.problems.mistakes import multiplied_scale, scaled_by_dk, unscaled
from attention_core.problems.ways import Way
from attention_core.problems.worked import dot_product, fraction, number


def draw(stream: Stream, sizes: Options) -> Drawn:
    asking, asked = stream.word_pair()
    width = sizes["width"]
    return Drawn(
        numbers={"q": stream.tenths(width), "k": stream.tenths(width)},
        words={"asking": (asking,), "asked": (asked,)},
    )


def width_of_key(v: Values) -> Array:
    return np.full(v.k.shape[:-1], float(v.k.shape[-1]))


def score_of(v: Values) -> Array:
    return v.score


def score(way: Way, v: Values) -> Array:
    return way.dot(v.q, v.k)


def scaled(way: Way, v: Values) -> Array:
    return way.divide(v.score, way.root(width_of_key(v)))


def signs_dropped(way: Way, v: Values) -> Array:
    return way.dot(np.abs(v.q), np.abs(v.k))


def sums_multiplied(way: Way, v: Values) -> Array:
    return way.keep(v.q.sum(axis=-1) * v.k.sum(axis=-1))


def worked_score(v: Values) -> str:
    return dot_product(r"q \cdot k", v.q, v.k, v.score)


def worked_scaled(v: Values) -> str:
    below = rf"\sqrt{{{v.k.shape[-1]}}}"
    return fraction(r"\frac{q \cdot k}{\sqrt{d_k}}", number(v.score), below, v.scaled)


FAMILY = Family(
    key="dot_score",
    title="One score",
    summary="A query against a key: the dot product, then the scaling.",
    options={"width": (3, 2, 4)},
    draw=draw,
    statement=(
        "The word **{asking}** asks with the query $q$; the word **{asked}** answers with "
        "the key $k$. Find the raw score $q \\cdot k$, then the scaled score."
    ),
    givens=(
        Given("q", "$q$, the query of {asking}", ("places",)),
        Given("k", "$k$, the key of {asked}", ("places",)),
    ),
    steps=(
        Step(
            key="score",
            label="The raw score $q \\cdot k$",
            axes=(),
            compute=score,
            how="Multiply place by place and add up.",
            worked=worked_score,
            seconds=30,
            mistakes=(
                Mistake(
                    "signs_dropped",
                    signs_dropped,
                    "Keep the signs: a plus times a minus takes away from the sum.",
                ),
                Mistake(
                    "sums_multiplied",
                    sums_multiplied,
                    "Multiply place by place, then add; you added first and multiplied the sums.",
                ),
            ),
        ),
        Step(
            key="scaled",
            label="The scaled score",
            axes=(),
            compute=scaled,
            how="Divide by the root of $d_k$, the width of a key.",
            worked=worked_scaled,
            seconds=20,
            mistakes=(
                unscaled(score_of),
                scaled_by_dk(score_of, width_of_key),
                multiplied_scale(score_of, width_of_key),
            ),
        ),
    ),
)
