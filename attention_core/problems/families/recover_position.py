"""The position vectors, recovered as the difference between final and raw vectors."""

import numpy as np

from attention_core.maths.arrays import Array
from attention_core.problems.drawing import Stream
from attention_core.problems.family import Drawn, Family, Given, Mistake, Options, Step, Values
from attention_core.problems.latex import equals, factor, first_of, number
from attention_core.problems.rounding import Way


def draw(stream: Stream, sizes: Options) -> Drawn:
    shape = sizes["tokens"], sizes["width"]
    raw = stream.tenths(*shape, low=-1, high=1)
    position = stream.tenths(*shape, low=-1, high=1)
    return Drawn(
        numbers={"X": raw, "final": np.round(raw + position, 1)},
        words={"tokens": stream.sentence(sizes["tokens"])},
    )


def quotient(way: Way, v: Values) -> Array:
    # A number with one decimal is divided by directly, not through its rounded reciprocal.
    return way.round(v.final / v.X)


def can_be_divided(v: Values) -> np.ndarray:
    return np.asarray((v.X != 0).all(axis=(-1, -2)))


def cell(v: Values, row: int, column: int) -> str:
    difference = f"{number(v.final[row, column])} - {factor(v.X[row, column])}"
    return f"{difference} {equals(v.positions[row, column])}"


POSITIONS = Step(
    key="positions",
    label="The position vectors",
    axes=("tokens", "places"),
    compute=lambda way, v: way.round(v.final - v.X),
    how="Positions are added, so subtract the raw vectors from the final ones.",
    nudge="The final vector is a sum. Which of its two parts do you already know?",
    formula=r"p_{pos} = \mathrm{input}_{pos} - x_{pos}",
    worked=first_of("p_{01}", cell),
    cell=cell,
    seconds=8,
    mistakes=(
        Mistake(
            "wrong_way_round",
            lambda way, v: way.round(v.X - v.final),
            "You subtracted the final vectors from the raw ones; it’s the other way round.",
        ),
        Mistake(
            "added",
            lambda way, v: way.round(v.final + v.X),
            "You added both. The final vector is already a sum, so subtract to undo it.",
        ),
        Mistake(
            "position_multiplied",
            quotient,
            "You divided, but positions aren’t multiplied in. They’re added, so subtract.",
            when=can_be_divided,
        ),
        Mistake(
            "off_by_one",
            lambda way, v: way.round(v.final - np.roll(v.X, 1, axis=-2)),
            "You subtracted a neighbour’s raw vector; use the word’s own.",
        ),
    ),
)

FAMILY = Family(
    key="recover_position",
    title="Recovering positions",
    summary="The position vectors, worked out from the vectors before and after.",
    part="vectors",
    options={"tokens": (3, 2, 4), "width": (2, 3)},
    draw=draw,
    statement=(
        "The words of “{tokens}” have these raw embeddings. Adding their positions gave the final "
        "vectors. Find the position vector of each word."
    ),
    givens=(
        Given("X", "The raw embeddings", ("tokens", "places")),
        Given("final", "The final vectors", ("tokens", "places")),
    ),
    code="""
positions = final - X
""",
    steps=(POSITIONS,),
)
