"""The values may be wider or narrower than the embeddings; the output is as wide as they are."""

import numpy as np

from attention_core.maths.arrays import Array
from attention_core.problems.drawing import Stream
from attention_core.problems.family import Drawn, Family, Given, Mistake, Options, Step, Values
from attention_core.problems.inputs import reader
from attention_core.problems.mistakes import blend_mistakes, signs_dropped, weight_column
from attention_core.problems.rounding import Way
from attention_core.problems.steps import EVERY_OUTPUT, product

# The width of the embeddings; values never have the same.
WIDTH = 3


def draw(stream: Stream, sizes: Options) -> Drawn:
    tokens, value_width = sizes["tokens"], sizes["value_width"]
    return Drawn(
        numbers={
            "X": stream.tenths(tokens, WIDTH),
            "A": np.stack([stream.shares(tokens) for _ in range(tokens)]),
            "W_V": stream.tenths(WIDTH, value_width, low=-1, high=1),
            "longer": np.array(6 + stream.below(15)),
        },
        words={"tokens": stream.sentence(tokens), "sides": ("rows", "columns")},
    )


def shape(way: Way, v: Values) -> Array:
    return rows_by_columns(v.longer, v.W_V.shape[-1])


def rows_by_columns(rows: Array, columns: Array | int) -> Array:
    return np.stack(np.broadcast_arrays(rows, columns), axis=-1)


def each_row_has_one_largest(v: Values) -> bool:
    largest = v.A.max(axis=-1, keepdims=True)
    return bool(np.all((largest == v.A).sum(axis=-1) == 1))


def some_word_looks_elsewhere_most(v: Values) -> np.ndarray:
    itself = np.arange(v.A.shape[-1])
    return np.asarray((v.A.argmax(axis=-1) != itself).any(axis=-1))


PROJECTED = product(
    "projected",
    "$V = XW_V$, the values",
    reader("X"),
    reader("W_V"),
    signs_dropped(reader("X"), reader("W_V")),
    axes=("tokens", "places"),
    name="v_{11}",
    how="Each cell is a row of $X$ times a column of $W_V$.",
    nudge="Rows of $X$ are on the left. The matrix sets the new width.",
    formula=r"V = X W_V",
    seconds=22,
)

OUTPUT = product(
    "output",
    "$AV$, the output",
    reader("A"),
    reader("projected"),
    *blend_mistakes(reader("A"), reader("projected")),
    weight_column(reader("A"), reader("projected")),
    Mistake(
        "unmixed",
        lambda way, v: v.projected,
        "You didn’t mix the values. Blend them by the attention weights.",
        # Where every word looks at itself most, hard_max gives the same.
        when=some_word_looks_elsewhere_most,
    ),
    axes=("tokens", "places"),
    name="z_{11}",
    how=EVERY_OUTPUT,
    nudge="The weights of a row say how much of each value goes into it.",
    formula=r"Z = AV",
)

SHAPE = Step(
    key="shape",
    label="The output’s shape for {longer} words",
    axes=("sides",),
    compute=shape,
    how="There’s a row for each word, and as many columns as the values have: $T \\times d_v$.",
    nudge="Which side depends on the length of the text, and which on $W_V$?",
    formula=r"(T \times T)\,(T \times d_v) = T \times d_v",
    worked=lambda v: rf"{v.longer:g} \times {v.W_V.shape[-1]}",
    decimals=0,
    seconds=6,
    mistakes=(
        Mistake(
            "model_width",
            lambda way, v: rows_by_columns(v.longer, v.X.shape[-1]),
            "You gave the output the width of $X$. It’s as wide as the values.",
        ),
        Mistake(
            "transposed",
            lambda way, v: shape(way, v)[..., ::-1],
            "You swapped the two. Rows come first, one for each word.",
        ),
        Mistake(
            "score_shape",
            lambda way, v: rows_by_columns(v.longer, v.longer),
            "You gave the shape of the attention matrix. The output is as wide as the values.",
        ),
        Mistake(
            "old_text",
            lambda way, v: rows_by_columns(np.full_like(v.longer, v.A.shape[-1]), v.W_V.shape[-1]),
            "You gave the shape for the words above. The longer text has more rows.",
        ),
    ),
)

FAMILY = Family(
    key="value_width",
    title="Values of a different width",
    summary="The width of the values sets the width of the output.",
    part="attention",
    options={"tokens": (2, 3), "value_width": (2, 4)},
    draw=draw,
    fit=each_row_has_one_largest,
    statement=(
        "A head attends to “{tokens}” with the weights $A$. Its matrix $W_V$ makes values whose "
        "width $d_v$ isn’t that of the embeddings $X$. Find the values $V = XW_V$ and the output "
        "$AV$. Then give the output’s shape for a text of {longer} words."
    ),
    givens=(
        Given("X", "$X$, the embeddings", ("tokens", "places")),
        Given("W_V", "$W_V$", ("places", "places")),
        Given("A", "$A$, the attention weights", ("tokens", "tokens")),
        Given("longer", "Words in the longer text"),
    ),
    code="""
projected = X @ W_V
output = A @ projected
shape = longer, W_V.shape[-1]
""",
    steps=(PROJECTED, OUTPUT, SHAPE),
)
