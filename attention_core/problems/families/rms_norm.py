"""RMSNorm: a vector over its root mean square, the mean left where it is."""

from attention_core.maths.softmax import Array
from attention_core.problems.drawing import Stream
from attention_core.problems.family import Drawn, Family, Given, Mistake, Options, Step, Values
from attention_core.problems.mistakes import variance_norm
from attention_core.problems.ways import Way
from attention_core.problems.worked import factor, fraction, number


def draw(stream: Stream, sizes: Options) -> Drawn:
    sentence = stream.sentence(sizes["tokens"])
    return Drawn(
        numbers={"x": stream.tenths(sizes["width"])},
        words={"tokens": sentence, "word": (stream.choice(sentence),)},
    )


def rms(way: Way, v: Values) -> Array:
    return way.root(way.mean(v.x * v.x))


def no_root(way: Way, v: Values) -> Array:
    return way.mean(v.x * v.x)


def length(way: Way, v: Values) -> Array:
    return way.length(v.x)


def standard_deviation(way: Way, v: Values) -> Array:
    deviations = way.deviations(v.x)
    return way.root(way.mean(deviations * deviations))


def sample_rms(way: Way, v: Values) -> Array:
    return way.root(way.keep((v.x * v.x).sum(axis=-1) / (v.x.shape[-1] - 1)))


def normalised(way: Way, v: Values) -> Array:
    return way.divide(v.x, v.rms)


def mean_subtracted(way: Way, v: Values) -> Array:
    return way.divide(way.deviations(v.x), v.rms)


def layer_normed(way: Way, v: Values) -> Array:
    return way.layer_norm(v.x)


def variance_not_sd(way: Way, v: Values) -> Array:
    return variance_norm(way, v.x)


def multiplied(way: Way, v: Values) -> Array:
    return way.multiply(v.x, v.rms)


def rms_is_not_small(v: Values) -> bool:
    return bool(v.rms >= 0.5)


def worked_rms(v: Values) -> str:
    squares = " + ".join(f"{factor(x)}^2" for x in v.x)
    return rf"\sqrt{{\frac{{{squares}}}{{{len(v.x)}}}}} = {number(v.rms)}"


def worked_normalised(v: Values) -> str:
    return fraction(r"\frac{x_1}{\mathrm{rms}}", number(v.x[0]), number(v.rms), v.normalised[0])


FAMILY = Family(
    key="rms_norm",
    title="RMSNorm",
    summary="A vector over its root mean square; no mean is subtracted.",
    options={"tokens": (3, 2, 4), "width": (4, 3)},
    draw=draw,
    fit=rms_is_not_small,
    statement=(
        "In “{tokens}”, the word **{word}** has the vector $x$. Find its root mean square, then "
        "apply RMSNorm (with a gain of 1 and $\\varepsilon = 0$)."
    ),
    givens=(Given("x", "$x$, the vector of {word}", ("places",)),),
    steps=(
        Step(
            key="rms",
            label="The root mean square of $x$",
            axes=(),
            compute=rms,
            how="Square every place, take the mean of the squares, then its root.",
            worked=worked_rms,
            seconds=35,
            mistakes=(
                Mistake(
                    "no_root",
                    no_root,
                    "This is the mean square: take its root.",
                ),
                Mistake(
                    "sum_not_mean",
                    length,
                    "This is the vector’s length: divide the sum of squares by the width first.",
                ),
                Mistake(
                    "mean_subtracted",
                    standard_deviation,
                    "This is the standard deviation: RMSNorm does not subtract the mean.",
                ),
                Mistake(
                    "sample_variance",
                    sample_rms,
                    "Divide the sum of squares by $n$, not by $n - 1$.",
                ),
            ),
        ),
        Step(
            key="normalised",
            label="$x$ after RMSNorm",
            axes=("places",),
            compute=normalised,
            how="Divide every place by the root mean square.",
            worked=worked_normalised,
            seconds=10,
            mistakes=(
                Mistake(
                    "layer_norm",
                    layer_normed,
                    "That is LayerNorm: RMSNorm does not subtract the mean, here or in the root.",
                ),
                Mistake(
                    "mean_subtracted",
                    mean_subtracted,
                    "RMSNorm leaves the mean where it is: divide $x$ itself.",
                ),
                Mistake(
                    "variance_not_sd",
                    variance_not_sd,
                    "You divided by the mean square; divide by its root.",
                ),
                Mistake(
                    "multiplied_scale",
                    multiplied,
                    "Divide by the root mean square; you multiplied by it.",
                ),
            ),
        ),
    ),
)
