"""What larger scores do to a softmax: the largest weight swallows the others."""

import numpy as np

from attention_core.maths.softmax import Array
from attention_core.problems.drawing import Stream
from attention_core.problems.family import Drawn, Family, Given, Mistake, Options, Step, Values
from attention_core.problems.mistakes import (
    base_two,
    equal_weights,
    hard_max,
    no_exponential,
    unnormalised,
)
from attention_core.problems.ways import Way
from attention_core.problems.worked import softmax_cell

FACTORS = (2, 3, 4)


def draw(stream: Stream, sizes: Options) -> Drawn:
    sentence = stream.sentence(sizes["tokens"])
    return Drawn(
        numbers={
            # Large sums of exponentials have reciprocals that three decimals cannot hold.
            "scores": stream.tenths(sizes["tokens"], low=-1.2, high=0.6),
            "factor": np.array(stream.choice(FACTORS)),
        },
        words={"tokens": sentence, "word": (stream.choice(sentence),)},
    )


def scores_of(v: Values) -> Array:
    return v.scores


def scaled_up(v: Values) -> Array:
    return v.scores * v.factor[..., None]


def before(way: Way, v: Values) -> Array:
    return way.softmax(v.scores)


def after(way: Way, v: Values) -> Array:
    return way.softmax(scaled_up(v))


def unchanged(way: Way, v: Values) -> Array:
    return v.before


def weights_multiplied(way: Way, v: Values) -> Array:
    return way.multiply(v.before, v.factor)


def scaled_down(way: Way, v: Values) -> Array:
    return way.softmax(way.divide(v.scores, v.factor))


def not_yet_hard(v: Values) -> np.ndarray:
    """Where one weight is nearly 1, the largest score alone looks the same."""
    return np.asarray(v.after.max(axis=-1) < 0.95)


def largest_is_not_negative(v: Values) -> bool:
    """Else every exponential is below 1, and rounding them ruins the weights."""
    return bool(v.scores.max() >= 0)


def worked_after(v: Values) -> str:
    return softmax_cell("a_1", scaled_up(v), 0, v.after[0])


FAMILY = Family(
    key="softmax_saturation",
    title="A softmax that saturates",
    summary="Scores several times as large leave nearly all the weight to one word.",
    options={"tokens": (3, 2, 4)},
    draw=draw,
    fit=largest_is_not_negative,
    statement=(
        "In “{tokens}”, these are the scores of **{word}**. Find its attention weights, and then "
        "what they become when every score is {factor} times as large, as happens to wide keys "
        "without the scaling."
    ),
    givens=(
        Given("scores", "Scores of {word}", ("tokens",)),
        Given("factor", "How many times as large"),
    ),
    steps=(
        Step(
            key="before",
            label="The weights of {word}",
            axes=("tokens",),
            compute=before,
            how="Take $e$ to the power of each score, then divide by the sum of them all.",
            worked=lambda v: softmax_cell("a_1", v.scores, 0, v.before[0]),
            seconds=22,
            mistakes=(
                no_exponential(scores_of),
                unnormalised(scores_of),
                base_two(scores_of),
                hard_max(scores_of),
                equal_weights(scores_of),
            ),
        ),
        Step(
            key="after",
            label="The weights after scaling up",
            axes=("tokens",),
            compute=after,
            how="Multiply every score by the factor, then apply the softmax anew.",
            worked=worked_after,
            seconds=22,
            mistakes=(
                Mistake(
                    "unchanged",
                    unchanged,
                    "These are the weights from before: a softmax does feel how large scores are.",
                ),
                Mistake(
                    "temperature_after",
                    weights_multiplied,
                    "Multiply the scores, not the weights, and apply the softmax anew.",
                ),
                Mistake(
                    "scaled_down",
                    scaled_down,
                    "You divided the scores by the factor: that evens the weights out.",
                ),
                Mistake(
                    "hard_max",
                    hard_max(scaled_up).compute,
                    "Nearly, yet never quite: the other words keep a little weight.",
                    when=not_yet_hard,
                ),
            ),
        ),
    ),
)
