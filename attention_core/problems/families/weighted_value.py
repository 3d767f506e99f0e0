"""A row of attention weights blends the values into one output."""

import numpy as np

from attention_core.problems.drawing import Stream
from attention_core.problems.family import Drawn, Family, Given, Mistake, Options, Values
from attention_core.problems.inputs import is_square, reader
from attention_core.problems.mistakes import blend_mistakes, signs_dropped, unweighted_sum
from attention_core.problems.rounding import transpose
from attention_core.problems.steps import product


def draw(stream: Stream, sizes: Options) -> Drawn:
    sentence = stream.sentence(sizes["tokens"])
    return Drawn(
        numbers={
            "weights": stream.shares(sizes["tokens"]),
            "V": stream.tenths(sizes["tokens"], sizes["width"]),
        },
        words={"tokens": sentence, "word": (stream.choice(sentence),)},
    )


def one_is_largest(v: Values) -> bool:
    return bool(np.sum(v.weights == v.weights.max()) == 1)


OUTPUT = product(
    "output",
    "$z$, the output of {word}",
    reader("weights"),
    reader("V"),
    *blend_mistakes(reader("weights"), reader("V")),
    unweighted_sum(reader("V")),
    signs_dropped(reader("weights"), reader("V")),
    Mistake(
        "weights_reversed",
        lambda way, v: way.mix(v.weights[..., ::-1], v.V),
        "You read the weights backwards. The first belongs to the first row of $V$.",
    ),
    Mistake(
        "column_vectors",
        lambda way, v: way.mix(v.weights, transpose(v.V)),
        "You mixed the columns of $V$. Each weight belongs to a *row*.",
        when=is_square("V"),
    ),
    axes=("places",),
    name="z_1",
    how="Multiply each row of $V$ by its weight, then add up the rows.",
    nudge="The weights say how much of each value goes into the output.",
    formula=r"z = \sum_j a_j\, v_j",
    seconds=25,
)

FAMILY = Family(
    key="weighted_value",
    title="Blending the values",
    summary="The output of one word is the weighted sum of all values.",
    part="attention",
    options={"tokens": (3, 2, 4), "width": (2, 3, 4)},
    draw=draw,
    fit=one_is_largest,
    statement=(
        "In “{tokens}”, these are the attention weights of **{word}**. "
        "Find its output $z$, the weighted sum of the values."
    ),
    givens=(
        Given("weights", "Attention weights of {word}", ("tokens",)),
        Given("V", "$V$, the values", ("tokens", "places")),
    ),
    code="""
output = weights @ V
""",
    steps=(OUTPUT,),
)
