"""One sublayer in two blocks: the norm before it, or after the residual."""

import numpy as np

from attention_core.maths.softmax import Array
from attention_core.problems.drawing import Stream
from attention_core.problems.family import Drawn, Family, Given, Mistake, Options, Step, Values
from attention_core.problems.mistakes import no_residual, norm_before_add, norm_mistakes
from attention_core.problems.ways import Way, transpose
from attention_core.problems.worked import layer_norm_cell, number, sum_of_products


def draw(stream: Stream, sizes: Options) -> Drawn:
    sentence = stream.sentence(sizes["tokens"])
    width = sizes["width"]
    return Drawn(
        numbers={
            "x": stream.tenths(width),
            "W": stream.tenths(width, width, low=-1, high=1),
        },
        words={"tokens": sentence, "word": (stream.choice(sentence),)},
    )


def x_of(v: Values) -> Array:
    return v.x


def total_of(v: Values) -> Array:
    return v.total


def sublayer_of_x(v: Values) -> Array:
    return np.asarray(np.vecmat(v.x, v.W))


def sublayer_of_normed(v: Values) -> Array:
    return np.asarray(np.vecmat(v.normed, v.W))


def sublayer(way: Way, v: Values, x: Array) -> Array:
    return way.mix(x, v.W)


def normed(way: Way, v: Values) -> Array:
    return way.layer_norm(v.x)


def pre(way: Way, v: Values) -> Array:
    return way.keep(v.x + sublayer(way, v, v.normed))


def normed_residual(way: Way, v: Values) -> Array:
    return way.keep(v.normed + sublayer(way, v, v.normed))


def pre_by_columns(way: Way, v: Values) -> Array:
    return way.keep(v.x + way.mix(v.normed, transpose(v.W)))


def total(way: Way, v: Values) -> Array:
    return way.keep(v.x + sublayer(way, v, v.x))


def total_by_columns(way: Way, v: Values) -> Array:
    return way.keep(v.x + way.mix(v.x, transpose(v.W)))


def post(way: Way, v: Values) -> Array:
    return way.layer_norm(v.total)


def deviations_are_fair(v: Values) -> bool:
    """Small ones make the rounding of the deviation matter more than the vector."""
    return bool(v.x.std() >= 0.5 and v.total.std() >= 0.5)


def worked_pre(v: Values) -> str:
    products = sum_of_products(v.normed, v.W[:, 0])
    return rf"x_1 + \mathrm{{norm}}(x) \cdot w_1 = {number(v.x[0])} + {products} = " + number(
        v.pre[0]
    )


def worked_total(v: Values) -> str:
    products = sum_of_products(v.x, v.W[:, 0])
    return rf"x_1 + x \cdot w_1 = {number(v.x[0])} + {products} = {number(v.total[0])}"


FAMILY = Family(
    key="pre_post_norm",
    title="Pre-norm and post-norm",
    summary="The same sublayer with the norm before it, and with the norm after the residual.",
    options={"tokens": (3, 2, 4), "width": (3, 4)},
    draw=draw,
    fit=deviations_are_fair,
    statement=(
        "In “{tokens}”, the word **{word}** enters a sublayer as the row $x$. The sublayer is the "
        "matrix $W$: it turns a row $u$ into $uW$. Find what leaves a *pre-norm* block, "
        "$x + \\mathrm{norm}(x)\\,W$, and a *post-norm* block, $\\mathrm{norm}(x + xW)$. The norm "
        "is LayerNorm (with $\\gamma = 1$, $\\beta = 0$, $\\varepsilon = 0$)."
    ),
    givens=(
        Given("x", "$x$, what goes in", ("places",)),
        Given("W", "$W$, the sublayer", ("places", "places")),
    ),
    steps=(
        Step(
            key="normed",
            label="Pre-norm: $\\mathrm{norm}(x)$",
            axes=("places",),
            compute=normed,
            how="Subtract the mean of $x$, then divide by its standard deviation.",
            worked=lambda v: layer_norm_cell(r"\mathrm{norm}(x)_1", v.x, v.normed[0]),
            seconds=18,
            mistakes=norm_mistakes(x_of),
        ),
        Step(
            key="pre",
            label="What leaves the pre-norm block",
            axes=("places",),
            compute=pre,
            how="The sublayer reads the normalised row; the residual is $x$ as it came in.",
            worked=worked_pre,
            seconds=18,
            mistakes=(
                no_residual(sublayer_of_normed),
                Mistake(
                    "normed_residual",
                    normed_residual,
                    "The residual carries $x$ itself; you added the normalised row.",
                ),
                Mistake(
                    "norm_ignored",
                    total,
                    "The sublayer of a pre-norm block reads the normalised row, not $x$.",
                ),
                Mistake(
                    "column_vectors",
                    pre_by_columns,
                    "Vectors are rows here: multiply by the *columns* of $W$.",
                ),
            ),
        ),
        Step(
            key="total",
            label="Post-norm: $x + xW$",
            axes=("places",),
            compute=total,
            how="The sublayer reads $x$ as it came in, and the residual is added.",
            worked=worked_total,
            seconds=15,
            mistakes=(
                no_residual(sublayer_of_x),
                Mistake(
                    "norm_before_add",
                    pre,
                    "You normalised first, as a pre-norm block does: here $x$ itself goes in.",
                ),
                Mistake(
                    "column_vectors",
                    total_by_columns,
                    "Vectors are rows here: multiply by the *columns* of $W$.",
                ),
            ),
        ),
        Step(
            key="post",
            label="What leaves the post-norm block",
            axes=("places",),
            compute=post,
            how="The norm comes last: it takes the sum with the residual.",
            worked=lambda v: layer_norm_cell("y_1", v.total, v.post[0]),
            seconds=18,
            mistakes=(
                *norm_mistakes(total_of),
                norm_before_add(x_of, sublayer_of_x),
            ),
        ),
    ),
)
