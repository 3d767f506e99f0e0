"""One row of scaled scores, turned into attention weights."""

import numpy as np

from attention_core.maths.softmax import Array
from attention_core.problems.drawing import Stream
from attention_core.problems.family import Drawn, Family, Given, Mistake, Options, Step, Values
from attention_core.problems.mistakes import base_two, hard_max, no_exponential, unnormalised
from attention_core.problems.ways import Way
from attention_core.problems.worked import softmax_cell


def draw(stream: Stream, sizes: Options) -> Drawn:
    sentence = stream.sentence(sizes["tokens"])
    return Drawn(
        numbers={"scores": stream.tenths(sizes["tokens"])},
        words={"tokens": sentence, "word": (stream.choice(sentence),)},
    )


def scores_of(v: Values) -> Array:
    return v.scores


def weights(way: Way, v: Values) -> Array:
    return way.softmax(v.scores)


def equal_weights(way: Way, v: Values) -> Array:
    return way.keep(np.full(v.scores.shape, 1 / v.scores.shape[-1]))


def largest_is_not_negative(v: Values) -> bool:
    """Else every exponential is below 1, and rounding them ruins the weights."""
    return bool(v.scores.max() >= 0)


def worked(v: Values) -> str:
    return softmax_cell("a_1", v.scores, 0, v.weights[0])


FAMILY = Family(
    key="softmax_row",
    title="Softmax of a row",
    summary="Scores of any size become weights that sum to 1.",
    options={"tokens": (3, 2, 4, 5)},
    draw=draw,
    fit=largest_is_not_negative,
    statement=(
        "In “{tokens}”, these are the scaled scores of **{word}**. "
        "Turn them into attention weights with the softmax."
    ),
    givens=(Given("scores", "Scaled scores of {word}", ("tokens",)),),
    steps=(
        Step(
            key="weights",
            label="The attention weights of {word}",
            axes=("tokens",),
            compute=weights,
            how="Take $e$ to the power of each score, then divide by the sum of them all.",
            worked=worked,
            seconds=25,
            mistakes=(
                no_exponential(scores_of),
                unnormalised(scores_of),
                base_two(scores_of),
                hard_max(scores_of),
                Mistake(
                    "uniform",
                    equal_weights,
                    "A larger score earns a larger weight; you gave all the same.",
                ),
            ),
        ),
    ),
)
