"""One row of raw scores, scaled by the root of the key's width."""

import numpy as np

from attention_core.problems.drawing import Stream
from attention_core.problems.family import Drawn, Family, Given, Options
from attention_core.problems.inputs import reader
from attention_core.problems.mistakes import scaled_by_tokens
from attention_core.problems.steps import scaling

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


SCALED = scaling(
    "The scaled scores of {word}",
    reader("scores"),
    reader("d_k"),
    scaled_by_tokens(reader("scores"), reader("d_k")),
    axes=("tokens",),
    name=r"\frac{q \cdot k_1}{\sqrt{d_k}}",
    seconds=12,
)

FAMILY = Family(
    key="scale_row",
    title="Scaling a row of scores",
    summary="Raw scores, divided by the root of the key width.",
    part="dot_product",
    options={"tokens": (3, 2, 4, 5)},
    draw=draw,
    statement=(
        "In “{tokens}”, the query of **{word}** has these raw scores with the keys. Scale them."
    ),
    givens=(
        Given("scores", "Raw scores of {word}", ("tokens",)),
        Given("d_k", "$d_k$, the width of a key"),
    ),
    code="""
scaled = scores / np.sqrt(d_k)
""",
    steps=(SCALED,),
)
