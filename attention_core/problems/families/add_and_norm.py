"""The residual and the norm that closes a sublayer: LayerNorm(x + z), for one word."""

import numpy as np

from attention_core.maths.arrays import Array
from attention_core.problems.drawing import Stream
from attention_core.problems.family import Drawn, Family, Given, Mistake, Options, Values
from attention_core.problems.inputs import is_spread, reader, row_of
from attention_core.problems.mistakes import norm_before_add
from attention_core.problems.rounding import Way, select_row, transpose
from attention_core.problems.steps import PLAIN_NORM, norm, residual


def draw(stream: Stream, sizes: Options) -> Drawn:
    shape = sizes["tokens"], sizes["width"]
    sentence = stream.sentence(sizes["tokens"])
    asked = stream.below(len(sentence))
    return Drawn(
        numbers={
            "X": stream.tenths(*shape),
            "Z": stream.tenths(*shape),
            "asked": np.eye(len(sentence))[asked],  # 1 at the word asked for
        },
        words={"tokens": sentence, "word": (sentence[asked],)},
    )


x, z = row_of("X"), row_of("Z")


def normed_over_words(way: Way, v: Values) -> Array:
    by_feature = transpose(way.round(v.X + v.Z))
    return select_row(v.asked, transpose(way.layer_norm(by_feature)))


RESIDUAL = residual(
    "residual",
    "{word} with the residual added",
    x,
    z,
    Mistake(
        "multiplied_residual",
        lambda way, v: way.round(x(v) * z(v)),
        "The residual is added; you multiplied dimension by dimension.",
    ),
    Mistake(
        "subtracted_residual",
        lambda way, v: way.round(x(v) - z(v)),
        "The residual is a sum, $X + Z$; you took the difference.",
    ),
    name="x_1 + z_1",
    how="Add what went in to what came out, dimension by dimension.",
    nudge="A residual never replaces its input. What happens to the two rows?",
    formula=r"r_i = x_i + z_i",
)

NORMED = norm(
    "normed",
    "{word} after LayerNorm",
    reader("residual"),
    Mistake(
        "across_tokens",
        normed_over_words,
        "You normalised each dimension over the words; normalise each word over its dimensions.",
        # Over words that are nearly alike in a feature, it cannot be followed by hand.
        when=lambda v: (v.X + v.Z).std(axis=-2).min(axis=-1) >= 0.5,
    ),
    norm_before_add(x, z),
    Mistake(
        "no_residual",
        lambda way, v: way.layer_norm(z(v)),
        "You normalised the row of $Z$ alone: normalise the sum with the residual.",
    ),
    how="Subtract the mean of the row, then divide by its standard deviation.",
    nudge="LayerNorm looks at this one row alone. Which two numbers of the row does it need?",
    formula=r"y_i = \frac{r_i - \mu}{\sigma}",
    seconds=20,
)

FAMILY = Family(
    key="add_and_norm",
    title="Add and norm",
    summary="The residual adds the input back, then LayerNorm evens out each word.",
    part="block",
    options={"tokens": (3, 2, 4), "width": (4, 3)},
    draw=draw,
    fit=lambda v: is_spread(v.residual),
    statement=(
        "The words of “{tokens}” went through self-attention: $X$ went in, $Z$ came out. For "
        "**{word}**, add the residual, then apply LayerNorm (with $\\gamma = 1$, $\\beta = 0$, "
        "$\\varepsilon = 0$)."
    ),
    givens=(
        Given("X", "$X$, what went in", ("tokens", "places")),
        Given("Z", "$Z$, what came out", ("tokens", "places")),
        Given("word", "The word asked for", text="{word}"),
        *PLAIN_NORM,
    ),
    code="""
residual = X[asked] + Z[asked]
normed = layer_norm(residual)
""",
    steps=(RESIDUAL, NORMED),
)
