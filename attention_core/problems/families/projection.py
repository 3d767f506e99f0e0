"""Queries, keys or values: the embeddings times a learned matrix."""

import numpy as np

from attention_core.maths.arrays import Array
from attention_core.problems.drawing import Stream
from attention_core.problems.family import Drawn, Family, Given, Mistake, Options, Values
from attention_core.problems.inputs import is_square, reader
from attention_core.problems.mistakes import cell_by_cell, column_vectors, signs_dropped
from attention_core.problems.rounding import transpose
from attention_core.problems.steps import product

ROLES = (("Q", "queries"), ("K", "keys"), ("V", "values"))


def draw(stream: Stream, sizes: Options) -> Drawn:
    tokens, width, key_width = sizes["tokens"], sizes["width"], sizes["key_width"]
    left_out = stream.below(len(ROLES))
    shown = [role for place, role in enumerate(ROLES) if place != left_out]
    asked = stream.below(len(shown))
    letter, plural = shown[asked]
    return Drawn(
        numbers={
            "X": stream.tenths(tokens, width),
            "W_first": stream.tenths(width, key_width, low=-1, high=1),
            "W_second": stream.tenths(width, key_width, low=-1, high=1),
            "asked": np.array(asked),
        },
        words={
            "tokens": stream.sentence(tokens),
            "first": (shown[0][0],),
            "second": (shown[1][0],),
            "letter": (letter,),
            "role": (plural,),
        },
    )


def matrix(v: Values) -> Array:
    """Return the matrix that is asked for."""
    return np.where(v.asked[..., None, None] == 0, v.W_first, v.W_second)


def other_matrix(v: Values) -> Array:
    return np.where(v.asked[..., None, None] == 0, v.W_second, v.W_first)


PROJECTED = product(
    "projected",
    "${letter}$, the {role}",
    reader("X"),
    matrix,
    Mistake(
        "other_projection",
        lambda way, v: way.product(v.X, other_matrix(v)),
        "You used the other matrix. Queries, keys and values each have their own.",
    ),
    column_vectors(
        "the matrix",
        lambda way, v: way.product(v.X, transpose(matrix(v))),
        when=is_square("W_first"),
    ),
    cell_by_cell(
        reader("X"), matrix, "column", when=lambda v: v.X.shape[-2:] == v.W_first.shape[-2:]
    ),
    signs_dropped(reader("X"), matrix),
    axes=("tokens", "places"),
    name="(XW)_{11}",
    how="For each cell, multiply a row of $X$ by a column of the matrix and add up.",
    nudge="Which matrix has the letter you need? The rows of $X$ go on its left.",
    formula=r"Q = XW_Q, \;\; K = XW_K, \;\; V = XW_V",
    seconds=22,
)

FAMILY = Family(
    key="projection",
    title="Projecting to queries, keys or values",
    summary="Each word’s embedding times the matrix of the role it plays.",
    part="dot_product",
    options={"tokens": (2, 3), "width": (3, 2), "key_width": (3, 2)},
    draw=draw,
    statement=(
        "“{tokens}” has the embeddings $X$, one row for each word. "
        "Here are two learned matrices. Find the **{role}** ${letter} = XW_{letter}$."
    ),
    givens=(
        Given("X", "$X$, the embeddings", ("tokens", "places")),
        Given("W_first", "$W_{first}$", ("places", "places"), name="W_{first}"),
        Given("W_second", "$W_{second}$", ("places", "places"), name="W_{second}"),
        Given("letter", "The matrix to find", text="{letter}"),
    ),
    code="""
W = [W_first, W_second][asked]
projected = X @ W
""",
    steps=(PROJECTED,),
)
