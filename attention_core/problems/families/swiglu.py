"""The gated feed-forward layer of today's models: SiLU(xW) opens or closes xV."""

import numpy as np

from attention_core.maths import activations
from attention_core.maths.softmax import Array
from attention_core.problems.drawing import Stream
from attention_core.problems.family import Drawn, Family, Given, Mistake, Options, Step, Values
from attention_core.problems.ways import EXACT, Way, transpose
from attention_core.problems.worked import dot_product, factor, fraction, number


def draw(stream: Stream, sizes: Options) -> Drawn:
    width, hidden = sizes["width"], sizes["hidden"]
    sentence = stream.sentence(3)
    return Drawn(
        numbers={
            "x": stream.tenths(width),
            "W": stream.tenths(width, hidden, low=-1, high=1),
            "V": stream.tenths(width, hidden, low=-1, high=1),
            "W_2": stream.tenths(hidden, width, low=-1, high=1),
        },
        words={"tokens": sentence, "word": (stream.choice(sentence),)},
    )


def sigmoid(way: Way, z: Array) -> Array:
    return way.keep(1 / way.keep(1 + way.keep(np.exp(-z))))


def silu(way: Way, z: Array) -> Array:
    if way is EXACT:
        return activations.silu(z)
    return way.divide(z, way.keep(1 + way.keep(np.exp(-z))))


def gate(way: Way, v: Values) -> Array:
    return silu(way, way.mix(v.x, v.W))


def sigmoid_alone(way: Way, v: Values) -> Array:
    return sigmoid(way, way.mix(v.x, v.W))


def unactivated(way: Way, v: Values) -> Array:
    return way.mix(v.x, v.W)


def relu_for_silu(way: Way, v: Values) -> Array:
    return activations.relu(way.mix(v.x, v.W))


def gate_of_wrong_matrix(way: Way, v: Values) -> Array:
    return silu(way, way.mix(v.x, v.V))


def gate_by_columns(way: Way, v: Values) -> Array:
    return silu(way, way.mix(v.x, transpose(v.W)))


def hidden(way: Way, v: Values) -> Array:
    return way.keep(v.gate * way.mix(v.x, v.V))


def gate_added(way: Way, v: Values) -> Array:
    return way.keep(v.gate + way.mix(v.x, v.V))


def ungated(way: Way, v: Values) -> Array:
    return way.mix(v.x, v.V)


def gate_twice(way: Way, v: Values) -> Array:
    return way.keep(v.gate * way.mix(v.x, v.W))


def out(way: Way, v: Values) -> Array:
    return way.mix(v.hidden, v.W_2)


def out_by_columns(way: Way, v: Values) -> Array:
    return way.mix(v.hidden, transpose(v.W_2))


def gate_alone(way: Way, v: Values) -> Array:
    return way.mix(v.gate, v.W_2)


def is_square(v: Values) -> bool:
    return bool(v.W.shape[-1] == v.W.shape[-2])


def gate_opens(v: Values) -> bool:
    """Else what passes is hardly more than its rounding."""
    return bool(np.abs(v.gate).min() >= 0.05)


def worked_gate(v: Values) -> str:
    z = number(v.x @ v.W[:, 0])
    return fraction(r"\mathrm{SiLU}(x \cdot w_1)", z, f"1 + e^{{-({z})}}", v.gate[0])


def worked_hidden(v: Values) -> str:
    opened = factor(v.x @ v.V[:, 0])
    return rf"g_1 \cdot (x \cdot v_1) = {number(v.gate[0])} \cdot {opened} = {number(v.hidden[0])}"


FAMILY = Family(
    key="swiglu",
    title="SwiGLU",
    summary="A smooth gate, computed from the word itself, lets part of the layer through.",
    options={"width": (2, 3), "hidden": (2, 3)},
    draw=draw,
    fit=gate_opens,
    statement=(
        "In “{tokens}”, a SwiGLU layer takes the row $x$ of **{word}** to "
        "$\\left(\\mathrm{SiLU}(xW) \\odot xV\\right) W_2$, where "
        "$\\mathrm{SiLU}(z) = z \\cdot \\frac{1}{1 + e^{-z}}$ in every place."
    ),
    givens=(
        Given("x", "$x$, the row of {word}", ("places",)),
        Given("W", "$W$, which makes the gate", ("places", "places")),
        Given("V", "$V$, which makes what is gated", ("places", "places")),
        Given("W_2", "$W_2$, which leads back", ("places", "places")),
    ),
    steps=(
        Step(
            key="gate",
            label="The gate $\\mathrm{SiLU}(xW)$",
            axes=("places",),
            compute=gate,
            how="Find $z = xW$ and divide every place by $1 + e^{-z}$.",
            worked=worked_gate,
            seconds=30,
            mistakes=(
                Mistake(
                    "no_activation",
                    unactivated,
                    "This is $xW$: apply the SiLU to make a gate of it.",
                ),
                Mistake(
                    "sigmoid_alone",
                    sigmoid_alone,
                    "This is the sigmoid alone: SiLU multiplies $z$ by it.",
                ),
                Mistake(
                    "relu_for_silu",
                    relu_for_silu,
                    "This is ReLU; SiLU is smooth, and lets a little of negative numbers through.",
                ),
                Mistake(
                    "other_projection",
                    gate_of_wrong_matrix,
                    "The gate comes from $xW$; you used $V$.",
                ),
                Mistake(
                    "column_vectors",
                    gate_by_columns,
                    "Vectors are rows here: multiply $x$ by the *columns* of $W$.",
                    when=is_square,
                ),
            ),
        ),
        Step(
            key="hidden",
            label="What passes the gate, $\\mathrm{SiLU}(xW) \\odot xV$",
            axes=("places",),
            compute=hidden,
            how="Find $xV$ and multiply it by the gate, place by place.",
            worked=worked_hidden,
            seconds=18,
            mistakes=(
                Mistake("added_gate", gate_added, "The gate multiplies $xV$; you added it."),
                Mistake("no_gate", ungated, "This is $xV$: multiply it by the gate."),
                Mistake(
                    "other_projection",
                    gate_twice,
                    "The gate multiplies $xV$; you multiplied it by $xW$ again.",
                ),
            ),
        ),
        Step(
            key="out",
            label="What the layer gives out",
            axes=("places",),
            compute=out,
            how="Multiply what passed by the columns of $W_2$.",
            worked=lambda v: dot_product(r"h \cdot w_1", v.hidden, v.W_2[:, 0], v.out[0]),
            seconds=12,
            mistakes=(
                Mistake(
                    "column_vectors",
                    out_by_columns,
                    "Vectors are rows here: multiply by the *columns* of $W_2$.",
                    when=is_square,
                ),
                Mistake(
                    "gate_alone",
                    gate_alone,
                    "You led the gate itself back: multiply it by $xV$ first.",
                ),
            ),
        ),
    ),
)
