"""The saturation of a softmax: with larger scores, the largest weight swallows the others."""

import numpy as np

from attention_core.maths.arrays import Array
from attention_core.problems.drawing import Stream
from attention_core.problems.family import Drawn, Family, Given, Mistake, Options, Step, Values
from attention_core.problems.inputs import reader, rounds_well
from attention_core.problems.latex import at, first_of, line, softmax_cell
from attention_core.problems.mistakes import equal_weights, exponential_mistakes, one_hot_largest
from attention_core.problems.steps import softmax

FACTORS = (2, 3, 4)


def draw(stream: Stream, sizes: Options) -> Drawn:
    sentence = stream.sentence(sizes["tokens"])
    decimals = stream.hundredths if sizes["tokens"] == 2 else stream.tenths
    return Drawn(
        numbers={
            # Large sums of exponentials have reciprocals that three decimals cannot hold.
            "scores": decimals(sizes["tokens"], low=-1.2, high=0.6),
            "factor": np.array(stream.choice(FACTORS)),
        },
        words={"tokens": sentence, "word": (stream.choice(sentence),)},
    )


def scaled_up(v: Values) -> Array:
    return v.scores * v.factor[..., None]


def after_cell(v: Values, row: int, column: int) -> str:
    return softmax_cell(line(scaled_up(v), row), column, at(v.after, row, column))


BEFORE = softmax("before", "The weights of {word}", reader("scores"), axes=("tokens",), seconds=22)

AFTER = Step(
    key="after",
    label="The weights after scaling up",
    axes=("tokens",),
    compute=lambda way, v: way.softmax(scaled_up(v)),
    how="Multiply every score by the factor, then apply the softmax again.",
    nudge="Make the scores larger first, then start the softmax from scratch.",
    formula=r"a_j = \frac{e^{c s_j}}{\sum_m e^{c s_m}}",
    worked=first_of("a_1", after_cell),
    cell=after_cell,
    seconds=22,
    mistakes=(
        Mistake(
            "unchanged",
            lambda way, v: v.before,
            "You gave the weights from before. They change when the scores get larger.",
        ),
        Mistake(
            "temperature_after",
            lambda way, v: way.multiply(v.before, v.factor),
            "You multiplied the weights. Multiply the scores, then apply the softmax again.",
        ),
        Mistake(
            "scaled_down",
            lambda way, v: way.softmax(way.divide(v.scores, v.factor)),
            "You divided the scores by the factor, and that evens the weights out. Multiply "
            "instead.",
        ),
        Mistake(
            "hard_max",
            lambda way, v: one_hot_largest(v.scores),
            "You gave one word all the weight. It gets nearly all: the others keep a little.",
            # Where one weight is nearly 1, the largest score alone looks the same.
            when=lambda v: v.after.max(axis=-1) < 0.95,
        ),
        *exponential_mistakes(scaled_up),
        equal_weights(scaled_up),
    ),
)

FAMILY = Family(
    key="softmax_saturation",
    title="A softmax that saturates",
    summary="Make the scores several times as large, and one word gets nearly all the weight.",
    part="softmax",
    options={"tokens": (3, 2, 4)},
    draw=draw,
    fit=lambda v: rounds_well(v.scores),
    statement=(
        "In “{tokens}”, these are the scores of **{word}**. Find its attention weights. Then find "
        "them again with every score {factor} times as large. (Wide keys do that if you don’t "
        "scale.)"
    ),
    givens=(
        Given("scores", "Scores of {word}", ("tokens",)),
        Given("factor", "The factor for every score"),
    ),
    version=2,
    code="""
before = softmax(scores)
after = softmax(factor * scores)
""",
    steps=(BEFORE, AFTER),
)
