"""Where the parameters of a small model sit."""

import numpy as np

from attention_core.maths.softmax import Array
from attention_core.problems.drawing import Stream
from attention_core.problems.family import Drawn, Family, Given, Mistake, Options, Step, Values
from attention_core.problems.ways import Way
from attention_core.problems.worked import number

WIDTHS = (32, 64, 128, 256, 512)
HEADS = (2, 4, 8)
VOCABULARIES = (1000, 2000, 5000, 10000, 30000)
BLOCKS = (2, 3, 4, 6, 12)
WIDENING = 4


def draw(stream: Stream, sizes: Options) -> Drawn:
    offered = {"d_model": WIDTHS, "h": HEADS, "V": VOCABULARIES, "N": BLOCKS}
    return Drawn(numbers={name: np.array(stream.choice(n)) for name, n in offered.items()})


def attention(way: Way, v: Values) -> Array:
    return 4 * v.d_model**2


def every_head_whole(way: Way, v: Values) -> Array:
    return v.h * attention(way, v)


def one_head(way: Way, v: Values) -> Array:
    return attention(way, v) / v.h


def without_output(way: Way, v: Values) -> Array:
    return 3 * v.d_model**2


def attention_with_biases(way: Way, v: Values) -> Array:
    return attention(way, v) + 4 * v.d_model


def feed_forward(way: Way, v: Values) -> Array:
    return 2 * WIDENING * v.d_model**2


def one_matrix(way: Way, v: Values) -> Array:
    return WIDENING * v.d_model**2


def not_wider(way: Way, v: Values) -> Array:
    return 2 * v.d_model**2


def feed_forward_with_biases(way: Way, v: Values) -> Array:
    return feed_forward(way, v) + (WIDENING + 1) * v.d_model


def embedding(way: Way, v: Values) -> Array:
    return v.V * v.d_model


def embedding_twice(way: Way, v: Values) -> Array:
    return 2 * embedding(way, v)


def block(v: Values) -> Array:
    return v.attention + v.feed_forward


def model(way: Way, v: Values) -> Array:
    return v.embedding + v.N * block(v)


def one_block(way: Way, v: Values) -> Array:
    return v.embedding + block(v)


def blocks_alone(way: Way, v: Values) -> Array:
    return v.N * block(v)


def embedding_in_each_block(way: Way, v: Values) -> Array:
    return v.N * (v.embedding + block(v))


def product(*factors: Array | int) -> str:
    return r" \cdot ".join(number(n) for n in factors)


FAMILY = Family(
    key="parameter_count",
    title="Counting parameters",
    summary="Attention, feed-forward layer, embedding: how many numbers are trained in each.",
    options={},
    draw=draw,
    statement=(
        "A model is $d_{model} = {d_model}$ wide, with {h} heads a block, {N} blocks and a "
        "vocabulary of {V} tokens. The heads of a block share the width; a feed-forward layer is "
        "4 times as wide inside; the output reuses the embedding. Count the parameters, without "
        "biases and norms."
    ),
    givens=(
        Given("d_model", "$d_{model}$"),
        Given("h", "Heads a block"),
        Given("N", "Blocks"),
        Given("V", "Tokens in the vocabulary"),
    ),
    steps=(
        Step(
            key="attention",
            label="The attention of one block",
            axes=(),
            compute=attention,
            how="$W_Q$, $W_K$, $W_V$ and $W_O$, all heads together, are $d_{model}$ wide and high.",
            worked=lambda v: f"4 \\cdot {number(v.d_model)}^2 = {number(v.attention)}",
            seconds=20,
            decimals=0,
            mistakes=(
                Mistake(
                    "per_head_again",
                    every_head_whole,
                    "The heads share $d_{model}$: do not multiply by their number.",
                ),
                Mistake(
                    "one_head",
                    one_head,
                    "This is one head’s part: count all the heads.",
                ),
                Mistake(
                    "no_output_projection",
                    without_output,
                    "There are four matrices: count $W_O$ too.",
                ),
                Mistake(
                    "counted_bias",
                    attention_with_biases,
                    "There are no biases to count here.",
                ),
            ),
        ),
        Step(
            key="feed_forward",
            label="The feed-forward layer of one block",
            axes=(),
            compute=feed_forward,
            how="One matrix leads to 4 times the width, another leads back.",
            worked=lambda v: (
                f"2 \\cdot {product(v.d_model, WIDENING * v.d_model)} = " + number(v.feed_forward)
            ),
            seconds=20,
            decimals=0,
            mistakes=(
                Mistake(
                    "one_matrix",
                    one_matrix,
                    "There are two matrices: one leads to the wide layer, one leads back.",
                ),
                Mistake(
                    "not_wider",
                    not_wider,
                    "Inside, the layer is 4 times as wide as the model.",
                ),
                Mistake(
                    "counted_bias",
                    feed_forward_with_biases,
                    "There are no biases to count here.",
                ),
            ),
        ),
        Step(
            key="embedding",
            label="The embedding",
            axes=(),
            compute=embedding,
            how="Every token of the vocabulary has a row, as wide as the model.",
            worked=lambda v: f"{product(v.V, v.d_model)} = {number(v.embedding)}",
            seconds=12,
            decimals=0,
            mistakes=(
                Mistake(
                    "embedding_twice",
                    embedding_twice,
                    "The output reuses the embedding: count it once.",
                ),
            ),
        ),
        Step(
            key="model",
            label="The whole model",
            axes=(),
            compute=model,
            how="The embedding once, and attention and feed-forward layer for every block.",
            worked=lambda v: (
                f"{number(v.embedding)} + {product(v.N)} \\cdot "
                f"({number(v.attention)} + {number(v.feed_forward)}) = {number(v.model)}"
            ),
            seconds=25,
            decimals=0,
            mistakes=(
                Mistake("one_block", one_block, "You counted one block: there are several."),
                Mistake("no_embedding", blocks_alone, "Add the embedding."),
                Mistake(
                    "embedding_again",
                    embedding_in_each_block,
                    "The embedding stands before the blocks: count it once.",
                ),
            ),
        ),
    ),
)
