"""The heads' outputs, set side by side, then mixed by W_O."""

import numpy as np

from attention_core.maths.arrays import Array
from attention_core.problems.drawing import Stream
from attention_core.problems.family import Drawn, Family, Given, Mistake, Options, Step, Values
from attention_core.problems.inputs import reader
from attention_core.problems.latex import number
from attention_core.problems.mistakes import (
    column_vectors,
    heads_averaged,
    heads_swapped,
    no_output_projection,
)
from attention_core.problems.rounding import Way, transpose
from attention_core.problems.steps import product

HEADS = 2


def draw(stream: Stream, sizes: Options) -> Drawn:
    tokens, head_width = sizes["tokens"], sizes["head_width"]
    d_model = HEADS * head_width
    return Drawn(
        numbers={
            "Z_1": stream.tenths(tokens, head_width),
            "Z_2": stream.tenths(tokens, head_width),
            "W_O": stream.tenths(d_model, d_model, low=-1, high=1),
        },
        words={"tokens": stream.sentence(tokens)},
    )


def heads_added(way: Way, v: Values) -> Array:
    added = v.Z_1 + v.Z_2
    return np.concatenate([added, added], axis=-1)


def output(way: Way, v: Values) -> Array:
    return way.product(v.concatenation, v.W_O)


def first_head_alone(way: Way, v: Values) -> Array:
    width = v.Z_1.shape[-1]
    return way.product(v.concatenation[..., :width], v.W_O[..., :width, :])


def worked_row(v: Values) -> str:
    cells = r" \quad ".join(f"{{{number(x)}}}" for head in (v.Z_1, v.Z_2) for x in head[0])
    return rf"\bigl({cells}\bigr)"


CONCATENATION = Step(
    key="concatenation",
    label="The heads, concatenated",
    axes=("tokens", "places"),
    compute=lambda way, v: np.concatenate([v.Z_1, v.Z_2], axis=-1),
    how="Put each word’s two outputs side by side, head 1 first.",
    nudge="Each word still has one row; it only gets longer. Which head comes first?",
    formula=r"Z = [\,Z_1 \;\; Z_2\,]",
    worked=worked_row,
    seconds=4,
    mistakes=(
        heads_swapped("$W_O$", lambda way, v: np.concatenate([v.Z_2, v.Z_1], axis=-1)),
        Mistake(
            "dealt_out",
            lambda way, v: np.stack([v.Z_1, v.Z_2], axis=-1).reshape(*v.Z_1.shape[:-1], -1),
            "You took columns from the heads in turn. Keep each head’s columns together.",
        ),
        Mistake(
            "heads_averaged",
            heads_added,
            "You added the heads. Concatenate them, so that each keeps its own columns.",
        ),
    ),
)

OUTPUT = product(
    "output",
    "The output, after $W_O$",
    reader("concatenation"),
    reader("W_O"),
    no_output_projection("$W_O$", reader("concatenation")),
    column_vectors("$W_O$", lambda way, v: way.product(v.concatenation, transpose(v.W_O))),
    heads_averaged(reader("concatenation"), reader("W_O"), HEADS),
    Mistake(
        "one_head",
        first_head_alone,
        "You’ve left out head 2. Multiply its columns by the lower rows of $W_O$.",
    ),
    axes=("tokens", "places"),
    name="o_{11}",
    how="Multiply each row of the concatenation by $W_O$.",
    nudge="Start with one cell. Which row and which column do you multiply for it?",
    formula=r"O = Z\,W_O",
    seconds=22,
)

FAMILY = Family(
    key="concat_heads",
    title="Joining the heads",
    summary="The heads are concatenated, not averaged. The output projection mixes them.",
    part="heads",
    options={"tokens": (2, 3), "head_width": (2, 3)},
    draw=draw,
    statement=(
        "Two heads have read “{tokens}”, and each has an output for every word. "
        "Concatenate the heads, the first on the left, and apply the output projection $W_O$."
    ),
    givens=(
        Given("Z_1", "The output $Z_1$ of head 1", ("tokens", "places")),
        Given("Z_2", "The output $Z_2$ of head 2", ("tokens", "places")),
        Given("W_O", "$W_O$, the output projection", ("places", "places")),
        Given("heads", "$h$, the number of heads", value=lambda v: HEADS),
    ),
    code="""
concatenation = np.concatenate([Z_1, Z_2], axis=-1)
output = concatenation @ W_O
""",
    steps=(CONCATENATION, OUTPUT),
)
