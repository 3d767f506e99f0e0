"""One word through a whole encoder block: attention, add and norm, feed-forward, add and norm."""

import numpy as np

from attention_core.maths.activations import relu
from attention_core.maths.softmax import Array
from attention_core.problems.drawing import Stream
from attention_core.problems.family import Drawn, Family, Given, Mistake, Options, Step, Values
from attention_core.problems.mistakes import (
    Read,
    base_two,
    hard_max,
    multiplied_scale,
    no_exponential,
    no_residual,
    norm_before_add,
    norm_mistakes,
    one_hot_largest,
    scaled_by_dk,
    unnormalised,
    unscaled,
)
from attention_core.problems.ways import Way, pick
from attention_core.problems.worked import (
    dot_product,
    factor,
    fraction,
    layer_norm_cell,
    number,
    softmax_cell,
    sum_of_products,
)

WIDTH, HIDDEN = 3, 4


def draw(stream: Stream, sizes: Options) -> Drawn:
    sentence = stream.sentence(sizes["tokens"])
    asked = stream.below(len(sentence))
    return Drawn(
        numbers={
            # Larger numbers give large scores, whose exponentials three decimals cannot hold.
            "X": stream.tenths(len(sentence), WIDTH, low=-1.5, high=1.5),
            "asked": np.eye(len(sentence))[asked],  # 1 at the word asked for
            "W_1": stream.tenths(WIDTH, HIDDEN, low=-1, high=1),
            "b_1": stream.tenths(HIDDEN, low=-1, high=1),
            "W_2": stream.tenths(HIDDEN, WIDTH, low=-1, high=1),
            "b_2": stream.tenths(WIDTH, low=-1, high=1),
        },
        words={"tokens": sentence, "word": (sentence[asked],)},
    )


def x_of(v: Values) -> Array:
    return pick(v.asked, v.X)


def of(key: str) -> Read:
    """An earlier step by its name."""
    return lambda v: v[key]


def d_k_of(v: Values) -> Array:
    return np.full(v.X.shape[:-2], float(WIDTH))


def raw_scores(v: Values) -> Array:
    return np.asarray(np.matvec(v.X, x_of(v)))


def scores(way: Way, v: Values) -> Array:
    return way.divide(raw_scores(v), way.root(d_k_of(v)))


def weights(way: Way, v: Values) -> Array:
    return way.softmax(v.scores)


def attended(way: Way, v: Values) -> Array:
    return way.mix(v.weights, v.X)


def first_sum(way: Way, v: Values) -> Array:
    return way.keep(x_of(v) + v.attended)


def first_norm(way: Way, v: Values) -> Array:
    return way.layer_norm(v.first_sum)


def layer(way: Way, x: Array, W: Array, b: Array) -> Array:
    return way.keep(way.mix(x, W) + b)


def hidden(way: Way, v: Values) -> Array:
    return layer(way, v.first_norm, v.W_1, v.b_1)


def fed(way: Way, v: Values) -> Array:
    return layer(way, relu(v.hidden), v.W_2, v.b_2)


def second_sum(way: Way, v: Values) -> Array:
    return way.keep(v.first_norm + v.fed)


def output(way: Way, v: Values) -> Array:
    return way.layer_norm(v.second_sum)


def every_part_can_be_followed(v: Values) -> bool:
    """By careful rounders. (That some score is not negative is sure: the word's with itself.)"""
    return bool(
        np.abs(v.scores).max() <= 4
        and v.first_sum.std() >= 0.5
        and v.second_sum.std() >= 0.5
        and v.hidden.min() < 0 < v.hidden.max()
    )


def worked_score(v: Values) -> str:
    products = sum_of_products(x_of(v), v.X[0])
    return fraction(r"\frac{x \cdot x_1}{\sqrt{d_k}}", products, r"\sqrt{3}", v.scores[0])


def worked_sum(a: Array, b: Array, result: Array) -> str:
    return f"{number(a[0])} + {factor(b[0])} = {number(result[0])}"


def worked_layer(x: Array, W: Array, b: Array, result: Array) -> str:
    return f"{sum_of_products(x, W[:, 0])} + {factor(b[0])} = {number(result[0])}"


FAMILY = Family(
    key="encoder_block",
    title="An encoder block",
    summary="One word through all of a block, with follow-through at every step.",
    options={"tokens": (2, 3)},
    draw=draw,
    fit=every_part_can_be_followed,
    statement=(
        "“{tokens}” goes through an encoder block: attention with $Q = K = V = X$, add and norm, "
        "feed-forward with ReLU, add and norm. Follow the word **{word}**. (In both norms "
        "$\\gamma = 1$, $\\beta = 0$, $\\varepsilon = 0$.)"
    ),
    givens=(
        Given("X", "$X$, the words", ("tokens", "places")),
        Given("W_1", "$W_1$", ("places", "places")),
        Given("b_1", "$b_1$", ("places",)),
        Given("W_2", "$W_2$", ("places", "places")),
        Given("b_2", "$b_2$", ("places",)),
    ),
    steps=(
        Step(
            key="scores",
            label="The scaled scores of {word}",
            axes=("tokens",),
            compute=scores,
            how="Multiply the row of the word by every row of $X$; divide by $\\sqrt{d_k}$.",
            worked=worked_score,
            seconds=20,
            mistakes=(
                unscaled(raw_scores),
                scaled_by_dk(raw_scores, d_k_of),
                multiplied_scale(raw_scores, d_k_of),
            ),
        ),
        Step(
            key="weights",
            label="The attention weights of {word}",
            axes=("tokens",),
            compute=weights,
            how="Apply the softmax to the scores.",
            worked=lambda v: softmax_cell("a_1", v.scores, 0, v.weights[0]),
            seconds=18,
            mistakes=(
                no_exponential(of("scores")),
                unnormalised(of("scores")),
                base_two(of("scores")),
                hard_max(of("scores")),
            ),
        ),
        Step(
            key="attended",
            label="What attention gives {word}",
            axes=("places",),
            compute=attended,
            how="Blend the rows of $X$ by the weights.",
            worked=lambda v: dot_product("z_1", v.weights, v.X[:, 0], v.attended[0]),
            seconds=12,
            mistakes=(
                Mistake(
                    "uniform",
                    lambda way, v: way.keep(v.X.mean(axis=-2)),
                    "This is the plain average: weigh the rows by the attention you found.",
                ),
                Mistake(
                    "hard_max",
                    lambda way, v: way.mix(one_hot_largest(v.weights), v.X),
                    "Attention blends; it does not choose. Every row takes part by its weight.",
                ),
            ),
        ),
        Step(
            key="first_sum",
            label="With the first residual",
            axes=("places",),
            compute=first_sum,
            how="Add the word’s own row of $X$.",
            worked=lambda v: worked_sum(x_of(v), v.attended, v.first_sum),
            seconds=5,
            mistakes=(no_residual(of("attended")),),
        ),
        Step(
            key="first_norm",
            label="After the first norm",
            axes=("places",),
            compute=first_norm,
            how="Subtract the mean, then divide by the standard deviation.",
            worked=lambda v: layer_norm_cell("y_1", v.first_sum, v.first_norm[0]),
            seconds=18,
            mistakes=(
                *norm_mistakes(of("first_sum")),
                norm_before_add(x_of, of("attended")),
            ),
        ),
        # Its zeros would be filled in after the ReLU, and nobody could forget it.
        Step(
            key="hidden",
            label="The hidden layer before the ReLU, $yW_1 + b_1$",
            axes=("places",),
            compute=hidden,
            how="Multiply the normalised row by each column of $W_1$ and add the bias.",
            worked=lambda v: worked_layer(v.first_norm, v.W_1, v.b_1, v.hidden),
            seconds=15,
            mistakes=(
                Mistake(
                    "no_bias", lambda way, v: way.mix(v.first_norm, v.W_1), "Add the bias $b_1$."
                ),
                Mistake(
                    "norm_skipped",
                    lambda way, v: layer(way, v.first_sum, v.W_1, v.b_1),
                    "The feed-forward layer reads the normalised row; you used the sum before it.",
                ),
            ),
        ),
        Step(
            key="fed",
            label="What the feed-forward layer gives out",
            axes=("places",),
            compute=fed,
            how="Set negative numbers to 0, multiply by each column of $W_2$, add the bias.",
            worked=lambda v: worked_layer(relu(v.hidden), v.W_2, v.b_2, v.fed),
            seconds=15,
            mistakes=(
                Mistake(
                    "no_activation",
                    lambda way, v: layer(way, v.hidden, v.W_2, v.b_2),
                    "Apply the ReLU between the layers: negative numbers become 0.",
                ),
                Mistake(
                    "no_bias", lambda way, v: way.mix(relu(v.hidden), v.W_2), "Add the bias $b_2$."
                ),
            ),
        ),
        Step(
            key="second_sum",
            label="With the second residual",
            axes=("places",),
            compute=second_sum,
            how="Add what went into the feed-forward layer: the row after the first norm.",
            worked=lambda v: worked_sum(v.first_norm, v.fed, v.second_sum),
            seconds=5,
            mistakes=(
                no_residual(of("fed")),
                Mistake(
                    "other_residual",
                    lambda way, v: way.keep(x_of(v) + v.fed),
                    "You added the row of $X$; the second residual carries the row after the "
                    "first norm.",
                ),
            ),
        ),
        Step(
            key="output",
            label="What leaves the block",
            axes=("places",),
            compute=output,
            how="Subtract the mean, then divide by the standard deviation.",
            worked=lambda v: layer_norm_cell("o_1", v.second_sum, v.output[0]),
            seconds=18,
            mistakes=(
                *norm_mistakes(of("second_sum")),
                norm_before_add(of("first_norm"), of("fed")),
            ),
        ),
    ),
)
