"""Each word's embedding plus the vector of its position."""

from attention_core.problems.drawing import Stream
from attention_core.problems.family import Drawn, Family, Given, Mistake, Options, Step, Values
from attention_core.problems.latex import equals, factor, first_of, number


def draw(stream: Stream, sizes: Options) -> Drawn:
    tokens, width = sizes["tokens"], sizes["width"]
    positions = range(tokens + 1)
    return Drawn(
        # One position more than there are words, so that counting from 1 is possible too.
        numbers={
            "X": stream.tenths(tokens, width),
            "P": stream.tenths(len(positions), width, low=-1, high=1),
        },
        words={
            "tokens": stream.sentence(tokens),
            "positions": tuple(f"position {n}" for n in positions),
        },
    )


def cell(v: Values, row: int, column: int) -> str:
    total = f"{number(v.X[row, column])} + {factor(v.P[row, column])}"
    return f"{total} {equals(v.inputs[row, column])}"


INPUTS = Step(
    key="inputs",
    label="The input to the first layer",
    axes=("tokens", "places"),
    compute=lambda way, v: way.round(v.X + v.P[..., :-1, :]),
    how="Add each word’s position vector to its embedding, dimension by dimension.",
    nudge="The two vectors become one of the same width. Count positions from 0.",
    formula=r"\mathrm{input}_{pos} = x_{pos} + p_{pos}",
    worked=first_of("x_{11} + p_{01}", cell),
    cell=cell,
    seconds=8,
    mistakes=(
        Mistake(
            "off_by_one",
            lambda way, v: way.round(v.X + v.P[..., 1:, :]),
            "You started at position 1. The first word is at position 0.",
        ),
        Mistake(
            "position_ignored",
            lambda way, v: way.round(v.X),
            "You’ve left out the positions. Add their vectors, "
            "or the model can’t tell the order of the words.",
        ),
        Mistake(
            "position_multiplied",
            lambda way, v: way.round(v.X * v.P[..., :-1, :]),
            "You multiplied by the position vectors. Add them.",
        ),
        Mistake(
            "subtracted",
            lambda way, v: way.round(v.X - v.P[..., :-1, :]),
            "You subtracted the position vectors. Add them.",
        ),
        Mistake(
            "first_position",
            lambda way, v: way.round(v.X + v.P[..., :1, :]),
            "You gave every word position 0. Each word takes the vector of its own position.",
        ),
    ),
)

FAMILY = Family(
    key="add_position",
    title="Adding positions",
    summary="The input to the first layer: embedding plus position vector.",
    part="vectors",
    options={"tokens": (3, 2, 4), "width": (2, 3)},
    draw=draw,
    statement=(
        "“{tokens}” enters a Transformer. We count positions from 0. Find each word’s input to the "
        "first layer: its embedding together with the vector of its position."
    ),
    givens=(
        Given("X", "The embeddings", ("tokens", "places")),
        Given("P", "The position vectors", ("positions", "places")),
    ),
    code="""
inputs = X + P[: len(X)]
""",
    steps=(INPUTS,),
)
