"""The straight-line distance between two word vectors."""

import numpy as np

from attention_core.problems.drawing import Stream
from attention_core.problems.family import Drawn, Family, Given, Mistake, Options, Step, Values
from attention_core.problems.latex import equals, factor, number
from attention_core.problems.meanings import NAME_NOTE, draw_word_pair


def draw(stream: Stream, sizes: Options) -> Drawn:
    return draw_word_pair(stream, sizes["width"])


def worked(v: Values) -> str:
    pairs = zip(v.a, v.b, strict=True)
    squares = " + ".join(f"({number(x)} - {factor(y)})^2" for x, y in pairs)
    square = v.distance**2
    return (
        rf"{squares} {equals(square)}, \quad"
        rf" \lVert a - b \rVert = \sqrt{{{number(square)}}} {equals(v.distance)}"
    )


DISTANCE = Step(
    key="distance",
    label="$\\lVert a - b \\rVert$",
    axes=(),
    compute=lambda way, v: way.length(v.a - v.b),
    how="Subtract dimension by dimension, square, add up, and take the root.",
    nudge="Think of Pythagoras. The difference in each dimension is one of the short sides.",
    formula=r"\lVert a - b \rVert = \sqrt{\sum_i (a_i - b_i)^2}",
    worked=worked,
    seconds=50,
    mistakes=(
        Mistake(
            "no_root",
            lambda way, v: way.dot(v.a - v.b, v.a - v.b),
            "You’ve found the square of the distance. Take its root.",
        ),
        Mistake(
            "city_blocks",
            lambda way, v: way.round(np.abs(v.a - v.b).sum(axis=-1)),
            "You added the differences themselves. Square them, add, then take the root.",
        ),
        Mistake(
            "added_vectors",
            lambda way, v: way.length(v.a + v.b),
            "You added the vectors. The distance is the length of their *difference*.",
        ),
        Mistake(
            "lengths_subtracted",
            lambda way, v: way.round(np.abs(way.length(v.a) - way.length(v.b))),
            "You subtracted the lengths. Subtract the vectors first, then take the length.",
        ),
    ),
)

FAMILY = Family(
    key="distance",
    title="Distance between words",
    summary="How far apart two words are in the vector space.",
    part="vectors",
    options={"width": (3, 2, 4)},
    draw=draw,
    statement=(
        f"The words **{{first}}** and **{{second}}** have the vectors $a$ and $b$. {NAME_NOTE} "
        "How far apart are the two words? Give the straight-line (Euclidean) distance."
    ),
    givens=(
        Given("a", "$a$, the vector of {first}", ("dimensions",)),
        Given("b", "$b$, the vector of {second}", ("dimensions",)),
    ),
    version=2,
    code="""
distance = np.linalg.norm(a - b)
""",
    steps=(DISTANCE,),
)
