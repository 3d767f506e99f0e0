"""The attention matrix from raw scores: scale, then a softmax along each row."""

import numpy as np

from attention_core.problems.drawing import Stream
from attention_core.problems.family import Drawn, Family, Given, Options
from attention_core.problems.inputs import reader
from attention_core.problems.mistakes import column_softmax, global_softmax, scaled_by_tokens
from attention_core.problems.steps import ALL_ROWS, scaling, softmax

# Widths whose roots three decimals hold well.
KEY_WIDTHS = (2, 3, 4, 5, 7, 9, 10)


def draw(stream: Stream, sizes: Options) -> Drawn:
    tokens = sizes["tokens"]
    return Drawn(
        numbers={"scores": stream.scores(tokens), "d_k": np.array(stream.choice(KEY_WIDTHS))},
        words={"tokens": stream.sentence(tokens)},
    )


SCALED = scaling(
    "The scaled scores",
    reader("scores"),
    reader("d_k"),
    scaled_by_tokens(reader("scores"), reader("d_k")),
    axes=("tokens", "tokens"),
)

WEIGHTS = softmax(
    "weights",
    "$A$, the attention matrix",
    reader("scaled"),
    column_softmax(reader("scaled")),
    global_softmax(reader("scaled")),
    axes=("tokens", "tokens"),
    how=ALL_ROWS,
)

FAMILY = Family(
    key="attention_matrix",
    title="From scores to the attention matrix",
    summary="Scaling, then softmax: each row becomes one word’s attention.",
    part="softmax",
    options={"tokens": (3, 2)},
    draw=draw,
    statement=(
        "Here are the raw scores of “{tokens}”: a row for each query, a column for each key. "
        "Scale them, then find the attention matrix $A$."
    ),
    givens=(
        Given("scores", "The raw scores", ("tokens", "tokens")),
        Given("d_k", "$d_k$, the width of a key"),
    ),
    code="""
scaled = scores / np.sqrt(d_k)
weights = softmax(scaled)
""",
    steps=(SCALED, WEIGHTS),
)
