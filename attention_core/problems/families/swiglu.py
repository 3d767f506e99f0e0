"""The gated feed-forward layer of today's models: SiLU(xW) opens or closes xV."""

import numpy as np

from attention_core.maths import activations
from attention_core.maths.arrays import Array
from attention_core.problems.drawing import Stream
from attention_core.problems.family import Drawn, Family, Given, Mistake, Options, Step, Values
from attention_core.problems.inputs import is_square, reader
from attention_core.problems.latex import equals, factor, first_of, number, quotient
from attention_core.problems.mistakes import column_vectors
from attention_core.problems.rounding import Way, transpose
from attention_core.problems.steps import product


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


def one_and_power(way: Way, z: Array) -> Array:
    """Return 1 + e⁻ᶻ, by which SiLU divides z."""
    return way.round(1 + way.round(np.exp(-z)))


def silu(way: Way, z: Array) -> Array:
    return activations.silu(z) if way.exact else way.divide(z, one_and_power(way, z))


def gate_cell(v: Values, row: int, column: int) -> str:
    z = number(v.x @ v.W[:, column])
    return quotient(z, f"1 + e^{{-({z})}}", v.gate[column])


def hidden_cell(v: Values, row: int, column: int) -> str:
    opened = factor(v.x @ v.V[:, column])
    return rf"{number(v.gate[column])} \cdot {opened} {equals(v.hidden[column])}"


GATE = Step(
    key="gate",
    label="The gate $\\mathrm{SiLU}(xW)$",
    axes=("places",),
    compute=lambda way, v: silu(way, way.mix(v.x, v.W)),
    how="Find $z = xW$ and divide each of its numbers by $1 + e^{-z}$.",
    nudge="SiLU works on one number at a time. Which numbers does it take here?",
    formula=r"\mathrm{SiLU}(z) = \frac{z}{1 + e^{-z}}, \qquad z = xW",
    worked=first_of(r"\mathrm{SiLU}(x \cdot w_1)", gate_cell),
    cell=gate_cell,
    seconds=30,
    mistakes=(
        Mistake(
            "no_activation",
            lambda way, v: way.mix(v.x, v.W),
            "You stopped at $xW$. Apply SiLU to turn it into the gate.",
        ),
        Mistake(
            "sigmoid_alone",
            lambda way, v: way.round(1 / one_and_power(way, way.mix(v.x, v.W))),
            "You used only the sigmoid. SiLU multiplies $z$ by it.",
        ),
        Mistake(
            "relu_for_silu",
            lambda way, v: activations.relu(way.mix(v.x, v.W)),
            "You used ReLU. SiLU doesn’t cut negative numbers off: a little gets through.",
        ),
        Mistake(
            "other_projection",
            lambda way, v: silu(way, way.mix(v.x, v.V)),
            "You used $V$. The gate comes from $xW$.",
        ),
        column_vectors(
            "$W$", lambda way, v: silu(way, way.mix(v.x, transpose(v.W))), when=is_square("W")
        ),
    ),
)

HIDDEN = Step(
    key="hidden",
    label="The gated content, $\\mathrm{SiLU}(xW) \\odot xV$",
    axes=("places",),
    compute=lambda way, v: way.round(v.gate * way.mix(v.x, v.V)),
    how="Find $xV$ and multiply it by the gate, dimension by dimension.",
    nudge="The gate decides how much of each dimension of $xV$ gets through.",
    formula=r"h_i = \mathrm{SiLU}(xW)_i \cdot (xV)_i",
    worked=first_of(r"g_1 \cdot (x \cdot v_1)", hidden_cell),
    cell=hidden_cell,
    seconds=18,
    mistakes=(
        Mistake(
            "added_gate",
            lambda way, v: way.round(v.gate + way.mix(v.x, v.V)),
            "You added the gate to $xV$. Multiply them instead.",
        ),
        Mistake(
            "no_gate",
            lambda way, v: way.mix(v.x, v.V),
            "You stopped at $xV$. Multiply it by the gate.",
        ),
        Mistake(
            "other_projection",
            lambda way, v: way.round(v.gate * way.mix(v.x, v.W)),
            "You multiplied the gate by $xW$ again. It multiplies $xV$.",
        ),
    ),
)

OUT = product(
    "out",
    "The output of the layer",
    reader("hidden"),
    reader("W_2"),
    column_vectors(
        "$W_2$", lambda way, v: way.mix(v.hidden, transpose(v.W_2)), when=is_square("W_2")
    ),
    Mistake(
        "gate_alone",
        lambda way, v: way.mix(v.gate, v.W_2),
        "You multiplied the gate itself by $W_2$. Multiply it by $xV$ first.",
    ),
    axes=("places",),
    name=r"h \cdot w_1",
    how="Multiply the gated content by each column of $W_2$.",
    nudge="One last matrix leads back to the width of $x$.",
    formula=r"\mathrm{SwiGLU}(x) = h\, W_2",
    seconds=12,
)

FAMILY = Family(
    key="swiglu",
    title="SwiGLU",
    summary="A smooth gate, computed from the word itself, decides how much gets through.",
    part="block",
    options={"width": (2, 3), "hidden": (2, 3)},
    draw=draw,
    # Smaller gates would let through hardly more than their rounding.
    fit=lambda v: bool(np.abs(v.gate).min() >= 0.05),
    statement=(
        "In “{tokens}”, a SwiGLU layer turns the row $x$ of **{word}** into "
        "$\\left(\\mathrm{SiLU}(xW) \\odot xV\\right) W_2$, with "
        "$\\mathrm{SiLU}(z) = z \\cdot \\frac{1}{1 + e^{-z}}$ in every dimension. "
        "Work it out in three steps. (This $V$ isn’t the values of attention.)"
    ),
    givens=(
        Given("x", "$x$, the row of {word}", ("places",)),
        Given("W", "$W$, which makes the gate", ("places", "places")),
        Given("V", "$V$, which makes the content", ("places", "places")),
        Given("W_2", "$W_2$, which leads back", ("places", "places")),
    ),
    version=2,
    code="""
z = x @ W
gate = z / (1 + np.exp(-z))
hidden = gate * (x @ V)
out = hidden @ W_2
""",
    steps=(GATE, HIDDEN, OUT),
)
