"""One row of raw scores, scaled by the root of the key's width."""

import numpy as np

from attention_core.maths.softmax import Array
from attention_core.problems.drawing import Stream
from attention_core.problems.family import Drawn, Family, Given, Options, Step, Values
from attention_core.problems.mistakes import (
    multiplied_scale,
    scaled_by_dk,
    scaled_by_tokens,
    unscaled,
)
from attention_core.problems.ways import Way
from attention_core.problems.worked import fraction, number

KEY_WIDTHS = (2, 3, 5, 6, 8, 10)


def draw(stream: Stream, sizes: Options) -> Drawn:
    sentence = stream.sentence(sizes["tokens"])
    return Drawn(
        numbers={
            "scores": stream.tenths(sizes["tokens"], low=-3, high=3),
            "d_k": np.array(stream.choice(KEY_WIDTHS)),
        },
        words={"tokens": sentence, "word": (stream.choice(sentence),)},
    )


def scores_of(v: Values) -> Array:
    return v.scores


def d_k_of(v: Values) -> Array:
    return v.d_k


def scaled(way: Way, v: Values) -> Array:
    return way.divide(v.scores, way.root(v.d_k))


def worked(v: Values) -> str:
    above, below = number(v.scores[0]), rf"\sqrt{{{v.d_k:g}}}"
    return fraction(r"\frac{q \cdot k_1}{\sqrt{d_k}}", above, below, v.scaled[0])


FAMILY = Family(
    key="scale_row",
    title="Scaling a row of scores",
    summary="Why and how scores are divided by √d_k.",
    options={"tokens": (3, 2, 4, 5)},
    draw=draw,
    statement=(
        "In “{tokens}”, the query of **{word}** has these raw scores with the keys, "
        "which are $d_k = {d_k}$ wide. Scale them."
    ),
    givens=(
        Given("scores", "Raw scores of {word}", ("tokens",)),
        Given("d_k", "$d_k$, the width of a key"),
    ),
    steps=(
        Step(
            key="scaled",
            label="The scaled scores of {word}",
            axes=("tokens",),
            compute=scaled,
            how="Divide every score by $\\sqrt{d_k}$.",
            worked=worked,
            seconds=12,
            mistakes=(
                unscaled(scores_of),
                scaled_by_dk(scores_of, d_k_of),
                multiplied_scale(scores_of, d_k_of),
                scaled_by_tokens(scores_of, d_k_of),
            ),
        ),
    ),
)
