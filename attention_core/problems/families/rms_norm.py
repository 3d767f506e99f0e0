"""RMSNorm: a vector over its root mean square, the mean left where it is."""

from attention_core.maths.arrays import Array
from attention_core.problems.drawing import Stream
from attention_core.problems.family import Drawn, Family, Given, Mistake, Options, Step, Values
from attention_core.problems.latex import equals, factor, first_of, number, quotient
from attention_core.problems.mistakes import variance_norm
from attention_core.problems.rounding import Way


def draw(stream: Stream, sizes: Options) -> Drawn:
    sentence = stream.sentence(sizes["tokens"])
    return Drawn(
        numbers={"x": stream.lopsided(sizes["width"])},
        words={"tokens": sentence, "word": (stream.choice(sentence),)},
    )


def standard_deviation(way: Way, v: Values) -> Array:
    deviations = way.deviations(v.x)
    return way.root(way.mean(deviations * deviations))


def rms_is_not_small(v: Values) -> bool:
    return bool(v.rms >= 0.5)


def worked_rms(v: Values) -> str:
    squares = " + ".join(f"{factor(x)}^2" for x in v.x)
    mean = v.rms**2
    return (
        rf"{quotient(squares, str(len(v.x)), mean)}, \quad"
        rf" \sqrt{{{number(mean)}}} {equals(v.rms)}"
    )


def normalised_cell(v: Values, row: int, column: int) -> str:
    return quotient(number(v.x[column]), number(v.rms), v.normalised[column])


RMS = Step(
    key="rms",
    label="The root mean square of $x$",
    axes=(),
    compute=lambda way, v: way.root(way.mean(v.x * v.x)),
    how="Square every number, take the mean of the squares, then take its root.",
    nudge="Read the name from right to left: square, mean, root.",
    formula=r"\mathrm{rms}(x) = \sqrt{\tfrac{1}{d} \sum_i x_i^2}",
    worked=worked_rms,
    seconds=35,
    mistakes=(
        Mistake(
            "no_root",
            lambda way, v: way.mean(v.x * v.x),
            "You stopped at the mean square; take its root.",
        ),
        Mistake(
            "sum_not_mean",
            lambda way, v: way.length(v.x),
            "You took the root of the sum of squares; divide that sum by the width first.",
        ),
        Mistake(
            "mean_subtracted",
            standard_deviation,
            "You took the standard deviation; RMSNorm doesn’t subtract the mean.",
        ),
        Mistake(
            "sample_variance",
            lambda way, v: way.root(way.round((v.x * v.x).sum(axis=-1) / (v.x.shape[-1] - 1))),
            "You divided by $d - 1$; divide the sum of squares by $d$.",
        ),
    ),
)

NORMALISED = Step(
    key="normalised",
    label="$x$ after RMSNorm",
    axes=("places",),
    compute=lambda way, v: way.divide(v.x, v.rms),
    how="Divide every number by the root mean square.",
    nudge="Unlike LayerNorm, RMSNorm doesn’t subtract the mean.",
    formula=r"y_i = \frac{x_i}{\mathrm{rms}(x)}",
    worked=first_of(r"\frac{x_1}{\mathrm{rms}}", normalised_cell),
    cell=normalised_cell,
    seconds=10,
    mistakes=(
        Mistake(
            "layer_norm",
            lambda way, v: way.layer_norm(v.x),
            "You applied LayerNorm; RMSNorm doesn’t subtract the mean, here or in the root.",
        ),
        Mistake(
            "mean_subtracted",
            lambda way, v: way.divide(way.deviations(v.x), v.rms),
            "You subtracted the mean; RMSNorm doesn’t, so divide $x$ itself.",
        ),
        Mistake(
            "variance_not_sd",
            lambda way, v: variance_norm(way, v.x),
            "You divided by the mean square; divide by its root.",
        ),
        Mistake(
            "multiplied_scale",
            lambda way, v: way.multiply(v.x, v.rms),
            "You multiplied by the root mean square; divide by it.",
        ),
    ),
)

FAMILY = Family(
    key="rms_norm",
    title="RMSNorm",
    summary="A vector divided by its root mean square; the mean isn’t subtracted.",
    part="block",
    options={"tokens": (3, 2, 4), "width": (4, 3)},
    draw=draw,
    fit=rms_is_not_small,
    statement=(
        "In “{tokens}”, the word **{word}** has the vector $x$. Find its root mean square, then "
        "apply RMSNorm (with a gain of 1 and $\\varepsilon = 0$)."
    ),
    givens=(
        Given("x", "$x$, the vector of {word}", ("places",)),
        Given("gain", "The gain", value=lambda v: 1),
        Given("epsilon", "$\\varepsilon$", value=lambda v: 0),
    ),
    code="""
rms = np.sqrt(np.mean(x**2))
normalised = x / rms
""",
    steps=(RMS, NORMALISED),
)
