"""A position as sines and cosines of ever slower waves."""

import numpy as np

from attention_core.maths.arrays import Array
from attention_core.maths.positions import sinusoidal_positions
from attention_core.problems.drawing import Stream
from attention_core.problems.family import Drawn, Family, Given, Mistake, Options, Step, Values
from attention_core.problems.latex import equals, number
from attention_core.problems.rounding import EXACT, Way

# Only the position is drawn, so the text is long. Sines and cosines take the same keys on a
# calculator for any position, and its powers of 10 leave the angles short.
LAST = 9_999


def draw(stream: Stream, sizes: Options) -> Drawn:
    places = range(sizes["width"])
    return Drawn(
        # The places give every formula its width, whatever batch it is marked in.
        numbers={
            "pos": np.array(1 + stream.below(LAST)),
            "d_model": np.array(sizes["width"]),
            "places": np.array(places),
        },
        words={
            "word": (stream.choice(stream.sentence(5)),),
            "counted": tuple(str(place) for place in places),
        },
    )


def even(v: Values) -> np.ndarray:
    return np.asarray(v.places % 2 == 0)


def two_i(v: Values) -> Array:
    """Return 0, 0, 2, 2, 4, 4, …: the places of a pair share a wave."""
    return v.places - v.places % 2


def angles(v: Values, pos: Array, exponents: Array) -> Array:
    """Return pos / 10000^(exponent / d_model)."""
    return np.asarray(pos[..., None] / 10_000.0 ** (exponents / v.places.shape[-1]))


def waves(way: Way, v: Values, radians: Array) -> Array:
    """Return a sine in every even place, a cosine in every odd one."""
    rounded = way.round(radians)
    return way.round(np.where(even(v), np.sin(rounded), np.cos(rounded)))


def encoding(way: Way, v: Values) -> Array:
    if way.exact:
        return sinusoidal_positions(v.pos, v.places.shape[-1])
    return waves(way, v, angles(v, v.pos, two_i(v)))


def swapped(way: Way, v: Values) -> Array:
    rounded = way.round(angles(v, v.pos, two_i(v)))
    return way.round(np.where(even(v), np.cos(rounded), np.sin(rounded)))


def sines_first(way: Way, v: Values) -> Array:
    rounded = way.round(angles(v, v.pos, two_i(v)))[..., ::2]
    return way.round(np.concatenate([np.sin(rounded), np.cos(rounded)], axis=-1))


def worked(v: Values) -> str:
    power = rf"10000^{{2/{v.places.shape[-1]}}}"
    return rf"\sin\left(\frac{{{number(v.pos)}}}{{{power}}}\right) {equals(v.encoding[2])}"


ENCODING = Step(
    key="encoding",
    label="The position vector of {word}, its dimensions counted from 0",
    axes=("counted",),
    compute=encoding,
    how="Two dimensions share an angle: the even one takes its sine, the odd one its cosine.",
    nudge="Dimensions come in pairs that share an angle. Is your calculator set to radians?",
    formula=(
        r"\begin{gathered} p_{2i} = \sin\frac{pos}{10000^{2i/d}} \\ "
        r"p_{2i+1} = \cos\frac{pos}{10000^{2i/d}} \end{gathered}"
    ),
    worked=worked,
    seconds=16,
    mistakes=(
        Mistake(
            "sin_cos_swapped",
            swapped,
            "You swapped sine and cosine. Even dimensions take the sine, odd ones the cosine.",
        ),
        Mistake(
            "halves_layout",
            sines_first,
            "You put all the sines first. Put the sine and cosine of each angle side by side.",
        ),
        Mistake(
            "off_by_one",
            lambda way, v: waves(way, v, angles(v, v.pos + 1, two_i(v))),
            "You used the next position. It’s already counted from 0, so don’t add 1.",
        ),
        Mistake(
            "wave_for_each_place",
            lambda way, v: waves(way, v, angles(v, v.pos, v.places)),
            "You gave each dimension its own angle. Dimensions $2i$ and $2i + 1$ share one.",
        ),
        Mistake(
            "exponent_halved",
            lambda way, v: waves(way, v, angles(v, v.pos, two_i(v) / 2)),
            "You took $i / d$ as the exponent; it’s $2i / d$.",
        ),
        Mistake(
            "one_wave",
            lambda way, v: waves(way, v, angles(v, v.pos, 0 * v.places)),
            "You used the position itself as every angle. "
            "Divide it by $10000^{2i / d}$: later pairs turn more slowly.",
        ),
        Mistake(
            "degrees",
            # The calculator turns degrees into radians by itself, and rounds nothing.
            lambda way, v: waves(EXACT, v, np.deg2rad(angles(v, v.pos, two_i(v)))),
            "Your calculator is set to degrees. These angles are in radians.",
        ),
    ),
)

FAMILY = Family(
    key="sinusoidal_position",
    title="A sinusoidal position",
    summary="The position vector of the first Transformer, in pairs of sine and cosine.",
    part="vectors",
    options={"width": (4, 8)},
    draw=draw,
    statement=(
        "In a long text the word **{word}** is at position {pos}, counted from 0. Give its "
        "sinusoidal position vector, {d_model} wide. Dimension $2i$ holds "
        "$\\sin(pos / 10000^{2i / d})$ and dimension $2i + 1$ holds $\\cos(pos / 10000^{2i / d})$, "
        "with angles in radians."
    ),
    givens=(
        Given("pos", "$pos$, the position of {word}"),
        Given("d_model", "$d$, the width of the vector"),
    ),
    code="""
dimension = np.arange(d_model)
angles = pos / 10000 ** (2 * (dimension // 2) / d_model)
encoding = np.where(dimension % 2 == 0, np.sin(angles), np.cos(angles))
""",
    steps=(ENCODING,),
)
