"""Where the parameters of a small model sit."""

import numpy as np

from attention_core.maths.arrays import Array
from attention_core.problems.drawing import Stream
from attention_core.problems.family import Drawn, Family, Given, Mistake, Options, Values
from attention_core.problems.latex import equals, number
from attention_core.problems.rounding import Way
from attention_core.problems.steps import count

WIDTHS = range(32, 1025, 32)
HEADS = (2, 4, 8)
VOCABULARIES = range(1000, 50_001, 1000)
BLOCKS = range(2, 13)
WIDENING = 4


def draw(stream: Stream, sizes: Options) -> Drawn:
    offered = {"d_model": WIDTHS, "h": HEADS, "V": VOCABULARIES, "N": BLOCKS}
    return Drawn(numbers={name: np.array(stream.choice(n)) for name, n in offered.items()})


def attention(way: Way, v: Values) -> Array:
    return 4 * v.d_model**2


def feed_forward(way: Way, v: Values) -> Array:
    return 2 * WIDENING * v.d_model**2


def embedding(way: Way, v: Values) -> Array:
    return v.V * v.d_model


def block(v: Values) -> Array:
    return v.attention + v.feed_forward


def product(*factors: Array | int) -> str:
    return r" \cdot ".join(number(n) for n in factors)


ATTENTION = count(
    "attention",
    "The attention of one block",
    attention,
    lambda v: f"4 \\cdot {number(v.d_model)}^2 {equals(v.attention)}",
    Mistake(
        "per_head_again",
        lambda way, v: v.h * attention(way, v),
        "The heads share $d_{\\text{model}}$, so don’t multiply by their number.",
    ),
    Mistake(
        "one_head",
        lambda way, v: attention(way, v) / v.h,
        "You counted one head’s part; count all the heads.",
    ),
    Mistake(
        "no_output_projection",
        lambda way, v: 3 * v.d_model**2,
        "You counted three matrices; $W_O$ is the fourth.",
    ),
    Mistake(
        "counted_bias",
        lambda way, v: attention(way, v) + 4 * v.d_model,
        "You counted biases; leave them out here.",
    ),
    how="$W_Q$, $W_K$, $W_V$ and $W_O$, for all heads together, are each $d_{\\text{model}}$ by "
    "$d_{\\text{model}}$.",
    nudge=(
        "How many matrices does attention have, and how large is each with all its heads together?"
    ),
    formula=r"4\, d_{\text{model}}^2",
    seconds=20,
)

FEED_FORWARD = count(
    "feed_forward",
    "The feed-forward layer of one block",
    feed_forward,
    lambda v: f"2 \\cdot {product(v.d_model, WIDENING * v.d_model)} = " + number(v.feed_forward),
    Mistake(
        "one_matrix",
        lambda way, v: WIDENING * v.d_model**2,
        "You counted one matrix. There are two: one widens, the other leads back.",
    ),
    Mistake(
        "not_wider",
        lambda way, v: 2 * v.d_model**2,
        "You kept the model’s width; inside, the layer is 4 times as wide.",
    ),
    Mistake(
        "counted_bias",
        lambda way, v: feed_forward(way, v) + (WIDENING + 1) * v.d_model,
        "You counted biases; leave them out here.",
    ),
    how="One matrix leads to 4 times the width, and the other leads back.",
    nudge="One matrix widens, the other leads back. How large is each?",
    formula=r"2 \cdot d_{\text{model}} \cdot 4\, d_{\text{model}}",
    seconds=20,
)

EMBEDDING = count(
    "embedding",
    "The embedding",
    embedding,
    lambda v: f"{product(v.V, v.d_model)} {equals(v.embedding)}",
    Mistake(
        "embedding_twice",
        lambda way, v: 2 * embedding(way, v),
        "You counted the embedding twice; the output reuses it, so it counts once.",
    ),
    how="Each token of the vocabulary has one row, as wide as the model.",
    nudge="The embedding is one table. How many rows does it have, and how long is each?",
    formula=r"n_{\text{vocab}} \cdot d_{\text{model}}",
    seconds=12,
)

MODEL = count(
    "model",
    "The whole model",
    lambda way, v: v.embedding + v.N * block(v),
    lambda v: (
        f"{number(v.embedding)} + {product(v.N)} \\cdot "
        f"({number(v.attention)} + {number(v.feed_forward)}) {equals(v.model)}"
    ),
    Mistake(
        "one_block",
        lambda way, v: v.embedding + block(v),
        "You counted only one block; there are $N$ of them.",
    ),
    Mistake(
        "no_embedding", lambda way, v: v.N * block(v), "You left out the embedding; add it once."
    ),
    Mistake(
        "embedding_again",
        lambda way, v: v.N * (v.embedding + block(v)),
        "You counted the embedding in every block; it’s only there once, before them.",
    ),
    how="Count the embedding once, and attention and the feed-forward layer for every block.",
    nudge="Which parts does the model have once, and which does every block have?",
    formula=(
        r"n_{\text{vocab}} \cdot d_{\text{model}} + N \left(4\, d_{\text{model}}^2 + 8\, "
        r"d_{\text{model}}^2\right)"
    ),
    seconds=25,
)

FAMILY = Family(
    key="parameter_count",
    title="Counting parameters",
    summary="How many numbers are trained in attention, feed-forward layers and the embedding.",
    part="whole",
    options={},
    draw=draw,
    statement=(
        "A model is $d_{\\text{model}} = {d_model}$ wide, with {h} heads per block, {N} blocks and "
        "a vocabulary of {V} tokens. The heads of a block share the width. A feed-forward layer is "
        "4 times as wide inside, and the output reuses the embedding. Count the parameters, but "
        "don’t count biases and norms."
    ),
    givens=(
        Given("d_model", "$d_{\\text{model}}$, the width of the model"),
        Given("h", "$h$, the number of heads per block"),
        Given("N", "$N$, the number of blocks"),
        Given("V", "$n_{\\text{vocab}}$, the size of the vocabulary"),
        Given("widening", "Times as wide inside a feed-forward layer", value=lambda v: WIDENING),
    ),
    code="""
attention = 4 * d_model**2
feed_forward = 2 * d_model * (4 * d_model)
embedding = V * d_model
model = embedding + N * (attention + feed_forward)
""",
    steps=(ATTENTION, FEED_FORWARD, EMBEDDING, MODEL),
)
