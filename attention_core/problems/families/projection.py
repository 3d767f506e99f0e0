"""Queries, keys or values: the embeddings times a learned matrix."""

import numpy as np

from attention_core.maths.softmax import Array
from attention_core.problems.drawing import Stream
from attention_core.problems.family import Drawn, Family, Given, Mistake, Options, Step, Values
from attention_core.problems.mistakes import signs_dropped
from attention_core.problems.ways import Way, transpose
from attention_core.problems.worked import dot_product

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
    """The matrix that is asked for."""
    return np.where(v.asked[..., None, None] == 0, v.W_first, v.W_second)


def other_matrix(v: Values) -> Array:
    return np.where(v.asked[..., None, None] == 0, v.W_second, v.W_first)


def projected(way: Way, v: Values) -> Array:
    return way.product(v.X, matrix(v))


def by_the_other(way: Way, v: Values) -> Array:
    return way.product(v.X, other_matrix(v))


def by_the_transpose(way: Way, v: Values) -> Array:
    return way.product(v.X, transpose(matrix(v)))


def cell_by_cell(way: Way, v: Values) -> Array:
    return way.keep(v.X * matrix(v))


def matrix_is_square(v: Values) -> bool:
    return bool(v.W_first.shape[-1] == v.W_first.shape[-2])


def shapes_are_alike(v: Values) -> bool:
    return bool(v.X.shape[-2:] == v.W_first.shape[-2:])


def worked(v: Values) -> str:
    return dot_product("(XW)_{11}", v.X[0], matrix(v)[:, 0], v.projected[0, 0])


FAMILY = Family(
    key="projection",
    title="Projecting to queries, keys or values",
    summary="Each word’s embedding times the matrix of the role it plays.",
    options={"tokens": (2, 3), "width": (3, 2), "key_width": (3, 2)},
    draw=draw,
    statement=(
        "“{tokens}” has the embeddings $X$, a row for each word. "
        "Here are two learned matrices. Find the **{role}** ${letter} = XW_{letter}$."
    ),
    givens=(
        Given("X", "$X$, the embeddings", ("tokens", "places")),
        Given("W_first", "$W_{first}$", ("places", "places")),
        Given("W_second", "$W_{second}$", ("places", "places")),
    ),
    steps=(
        Step(
            key="projected",
            label="${letter}$, the {role}",
            axes=("tokens", "places"),
            compute=projected,
            how="Each cell is a row of $X$ times a column of the matrix: multiply and add up.",
            worked=worked,
            seconds=22,
            mistakes=(
                Mistake(
                    "other_projection",
                    by_the_other,
                    "You used another projection’s matrix. "
                    "Queries, keys and values each have their own.",
                ),
                Mistake(
                    "column_vectors",
                    by_the_transpose,
                    "Here vectors are rows, so $xW$: "
                    "go down the *columns* of the matrix, not along its rows.",
                    when=matrix_is_square,
                ),
                Mistake(
                    "elementwise",
                    cell_by_cell,
                    "Multiply row by column and add up; you multiplied cell by cell.",
                    when=shapes_are_alike,
                ),
                signs_dropped(lambda v: v.X, matrix),
            ),
        ),
    ),
)
