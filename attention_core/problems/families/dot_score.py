"""One query against one key: the raw score, then the scaled score."""

import numpy as np

from attention_core.problems.drawing import Stream
from attention_core.problems.family import Drawn, Family, Given, Mistake, Options, Step
from attention_core.problems.inputs import reader, width_of
from attention_core.problems.latex import dot_product
from attention_core.problems.mistakes import KEEP_THE_SIGNS, sums_multiplied
from attention_core.problems.steps import scaling


def draw(stream: Stream, sizes: Options) -> Drawn:
    asking, asked = stream.word_pair()
    width = sizes["width"]
    return Drawn(
        numbers={"q": stream.tenths(width), "k": stream.tenths(width)},
        words={"asking": (asking,), "asked": (asked,)},
    )


SCORE = Step(
    key="score",
    label="The raw score $q \\cdot k$",
    axes=(),
    compute=lambda way, v: way.dot(v.q, v.k),
    how="Multiply dimension by dimension and add up.",
    nudge="Two vectors become one number. Start by pairing up their dimensions.",
    formula=r"s = q \cdot k = \sum_i q_i k_i",
    worked=lambda v: dot_product(r"q \cdot k", v.q, v.k, v.score),
    seconds=30,
    mistakes=(
        Mistake("signs_dropped", lambda way, v: way.dot(np.abs(v.q), np.abs(v.k)), KEEP_THE_SIGNS),
        sums_multiplied(lambda way, v: way.round(v.q.sum(axis=-1) * v.k.sum(axis=-1))),
    ),
)

SCALED = scaling(
    "The scaled score",
    reader("score"),
    width_of("k"),
    axes=(),
    name=r"\frac{q \cdot k}{\sqrt{d_k}}",
    how="Divide by $\\sqrt{d_k}$, the root of the width of a key.",
    seconds=20,
)

FAMILY = Family(
    key="dot_score",
    title="One score",
    summary="One query against one key: the dot product, then the scaling.",
    part="dot_product",
    options={"width": (3, 2, 4)},
    draw=draw,
    statement=(
        "The word **{asking}** has the query $q$, and the word **{asked}** has the key $k$. "
        "Find the raw score $q \\cdot k$. Then scale it the way scaled dot-product attention does."
    ),
    givens=(
        Given("q", "$q$, the query of {asking}", ("places",)),
        Given("k", "$k$, the key of {asked}", ("places",)),
    ),
    version=2,
    code="""
score = q @ k
scaled = score / np.sqrt(len(k))
""",
    steps=(SCORE, SCALED),
)
