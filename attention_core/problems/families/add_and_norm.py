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
        "You multiplied the two rows. Add them, dimension by dimension.",
    ),
    Mistake(
        "subtracted_residual",
        lambda way, v: way.round(x(v) - z(v)),
        "You took the difference. The residual is a sum, $X + Z$.",
    ),
    name="x_1 + z_1",
    how="Add the word’s rows of $X$ and $Z$, dimension by dimension.",
    nudge="The output of attention doesn’t replace its input. So what happens to the two rows?",
    formula=r"r_i = x_i + z_i",
)

NORMED = norm(
    "normed",
    "{word} after LayerNorm",
    reader("residual"),
    Mistake(
        "across_tokens",
        normed_over_words,
        "You normalised each dimension over the words. Normalise each word over its dimensions.",
        # Over words that are nearly alike in a feature, it cannot be followed by hand.
        when=lambda v: (v.X + v.Z).std(axis=-2).min(axis=-1) >= 0.5,
    ),
    norm_before_add(x, z),
    Mistake(
        "no_residual",
        lambda way, v: way.layer_norm(z(v)),
        "You normalised only the row of $Z$. Add the row of $X$ first.",
    ),
    how="Subtract the row’s mean, then divide by its standard deviation.",
    formula=r"y_i = \frac{r_i - \mu}{\sigma}",
    seconds=20,
)

FAMILY = Family(
    key="add_and_norm",
    title="Add and norm",
    summary="Add the input of attention back, then normalise each word.",
    part="block",
    options={"tokens": (3, 2, 4), "width": (4, 3)},
    draw=draw,
    fit=lambda v: is_spread(v.residual),
    statement=(
        "“{tokens}” has been through self-attention: $X$ is the input, $Z$ the output. For "
        "**{word}**, add the residual, then apply LayerNorm (with $\\gamma = 1$, $\\beta = 0$, "
        "$\\varepsilon = 0$)."
    ),
    givens=(
        Given("X", "$X$, the input of attention", ("tokens", "places")),
        Given("Z", "$Z$, the output of attention", ("tokens", "places")),
        Given("word", "The word asked for", text="{word}"),
        *PLAIN_NORM,
    ),
    code="""
residual = X[asked] + Z[asked]
normed = layer_norm(residual)
""",
    steps=(RESIDUAL, NORMED),
)
