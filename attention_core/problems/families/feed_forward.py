"""The feed-forward layer of one word: widen, ReLU, and back."""

import numpy as np

from attention_core.maths.activations import relu
from attention_core.maths.softmax import Array
from attention_core.problems.drawing import Stream
from attention_core.problems.family import Drawn, Family, Given, Mistake, Options, Step, Values
from attention_core.problems.ways import Way, transpose
from attention_core.problems.worked import factor, number, sum_of_products


def draw(stream: Stream, sizes: Options) -> Drawn:
    width, hidden = sizes["width"], sizes["hidden"]
    sentence = stream.sentence(3)
    return Drawn(
        numbers={
            "x": stream.tenths(width),
            "W_1": stream.tenths(width, hidden, low=-1, high=1),
            "b_1": stream.tenths(hidden, low=-1, high=1),
            "W_2": stream.tenths(hidden, width, low=-1, high=1),
            "b_2": stream.tenths(width, low=-1, high=1),
        },
        words={"tokens": sentence, "word": (stream.choice(sentence),)},
    )


def before(way: Way, v: Values) -> Array:
    return way.keep(way.mix(v.x, v.W_1) + v.b_1)


def before_without_bias(way: Way, v: Values) -> Array:
    return way.mix(v.x, v.W_1)


def before_by_columns(way: Way, v: Values) -> Array:
    return way.keep(way.mix(v.x, transpose(v.W_1)) + v.b_1)


def relu_at_once(way: Way, v: Values) -> Array:
    return relu(before(way, v))


def second_layer(way: Way, v: Values, hidden: Array) -> Array:
    return way.keep(way.mix(hidden, v.W_2) + v.b_2)


def out(way: Way, v: Values) -> Array:
    return second_layer(way, v, relu(v.before))


def without_relu(way: Way, v: Values) -> Array:
    return second_layer(way, v, v.before)


def signs_dropped(way: Way, v: Values) -> Array:
    return second_layer(way, v, np.abs(v.before))


def out_without_bias(way: Way, v: Values) -> Array:
    return way.mix(relu(v.before), v.W_2)


def relu_at_the_end(way: Way, v: Values) -> Array:
    return relu(out(way, v))


def relu_has_work_to_do(v: Values) -> bool:
    return bool(v.before.min() < 0 < v.before.max())


def some_output_is_negative(v: Values) -> np.ndarray:
    """Else a ReLU at the end would change nothing."""
    return np.asarray(v.out.min(axis=-1) < -0.1)


def worked_before(v: Values) -> str:
    products = sum_of_products(v.x, v.W_1[:, 0])
    return f"(xW_1 + b_1)_1 = {products} + {factor(v.b_1[0])} = {number(v.before[0])}"


def worked_out(v: Values) -> str:
    products = sum_of_products(relu(v.before), v.W_2[:, 0])
    return f"(hW_2 + b_2)_1 = {products} + {factor(v.b_2[0])} = {number(v.out[0])}"


FAMILY = Family(
    key="feed_forward",
    title="The feed-forward layer",
    summary="Each word by itself: a wider layer, ReLU, and back to the width of the model.",
    options={"width": (2, 3), "hidden": (3, 4)},
    draw=draw,
    fit=relu_has_work_to_do,
    statement=(
        "In “{tokens}”, the feed-forward layer takes the row $x$ of **{word}** to "
        "$\\mathrm{ReLU}(xW_1 + b_1)\\,W_2 + b_2$. First give $xW_1 + b_1$ as it is *before* the "
        "ReLU, then what the layer gives out."
    ),
    givens=(
        Given("x", "$x$, the row of {word}", ("places",)),
        Given("W_1", "$W_1$", ("places", "places")),
        Given("b_1", "$b_1$", ("places",)),
        Given("W_2", "$W_2$", ("places", "places")),
        Given("b_2", "$b_2$", ("places",)),
    ),
    steps=(
        # The ReLU belongs to the next step: were it asked for here, its zeros would be filled in,
        # and nobody could forget it.
        Step(
            key="before",
            label="$xW_1 + b_1$, before the ReLU",
            axes=("places",),
            compute=before,
            how="Multiply the row by each column of $W_1$ and add the bias.",
            worked=worked_before,
            seconds=14,
            mistakes=(
                Mistake("no_bias", before_without_bias, "Add the bias $b_1$."),
                Mistake(
                    "column_vectors",
                    before_by_columns,
                    "Vectors are rows here: multiply $x$ by the *columns* of $W_1$.",
                    when=lambda v: v.W_1.shape[-1] == v.W_1.shape[-2],
                ),
                Mistake(
                    "activated_early",
                    relu_at_once,
                    "This is after the ReLU; this step asks for the numbers before it.",
                ),
            ),
        ),
        Step(
            key="out",
            label="What the layer gives out",
            axes=("places",),
            compute=out,
            how="Set negative numbers to 0, multiply by each column of $W_2$, add the bias.",
            worked=worked_out,
            seconds=18,
            mistakes=(
                Mistake(
                    "no_activation",
                    without_relu,
                    "Apply the ReLU between the layers: negative numbers become 0.",
                ),
                Mistake(
                    "signs_dropped",
                    signs_dropped,
                    "ReLU sets negative numbers to 0; you dropped their signs.",
                ),
                Mistake("no_bias", out_without_bias, "Add the bias $b_2$."),
                Mistake(
                    "activated_output",
                    relu_at_the_end,
                    "The ReLU stands between the layers; what leaves may be negative.",
                    when=some_output_is_negative,
                ),
            ),
        ),
    ),
)
