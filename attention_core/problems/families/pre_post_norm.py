"""One sublayer in two blocks: the norm before it, or after the residual."""

from attention_core.maths.arrays import Array
from attention_core.problems.drawing import Stream
from attention_core.problems.family import (
    Cell,
    Drawn,
    Family,
    Given,
    Mistake,
    Options,
    Step,
    Values,
)
from attention_core.problems.inputs import Read, is_spread, reader
from attention_core.problems.latex import equals, first_of, number, sum_of_products
from attention_core.problems.mistakes import column_vectors, no_residual, norm_before_add
from attention_core.problems.rounding import EXACT, Way, transpose
from attention_core.problems.steps import PLAIN_NORM, norm


def draw(stream: Stream, sizes: Options) -> Drawn:
    sentence = stream.sentence(sizes["tokens"])
    width = sizes["width"]
    return Drawn(
        numbers={"x": stream.lopsided(width), "W": stream.tenths(width, width, low=-0.6, high=0.6)},
        words={"tokens": sentence, "word": (stream.choice(sentence),)},
    )


def sublayer(key: str) -> Read:
    """Return a reader of the sublayer's output for a row."""
    return lambda v: EXACT.mix(v[key], v.W)


def add_sublayer(way: Way, residual: Array, row: Array, W: Array) -> Array:
    """Return the sublayer's output for a row, with the residual added."""
    return way.round(residual + way.mix(row, W))


def cell_of(row: str, key: str) -> Cell:
    """Return a function that writes out a cell of a block whose sublayer reads this row."""

    def cell(v: Values, _: int, column: int) -> str:
        products = sum_of_products(v[row], v.W[:, column])
        return f"{number(v.x[column])} + {products} {equals(v[key][column])}"

    return cell


NORMED = norm(
    "normed",
    "Pre-norm: $\\mathrm{norm}(x)$",
    reader("x"),
    name=r"\mathrm{norm}(x)_1",
    how="Subtract the mean of $x$, then divide by its standard deviation.",
    nudge="Pre-norm starts with the norm. Which two numbers of the row does it need?",
    formula=r"\mathrm{norm}(x)_i = \frac{x_i - \mu}{\sigma}",
)

PRE = Step(
    key="pre",
    label="The output of the pre-norm block",
    axes=("places",),
    compute=lambda way, v: add_sublayer(way, v.x, v.normed, v.W),
    how="Multiply the normalised row by $W$, then add $x$ itself.",
    nudge="The sublayer reads the normalised row. Which row does the residual add?",
    formula=r"x + \mathrm{norm}(x)\, W",
    worked=first_of(r"x_1 + \mathrm{norm}(x) \cdot w_1", cell_of("normed", "pre")),
    cell=cell_of("normed", "pre"),
    seconds=18,
    mistakes=(
        no_residual(sublayer("normed")),
        Mistake(
            "normed_residual",
            lambda way, v: add_sublayer(way, v.normed, v.normed, v.W),
            "You added the normalised row; the residual carries $x$ itself.",
        ),
        Mistake(
            "norm_ignored",
            lambda way, v: add_sublayer(way, v.x, v.x, v.W),
            "You sent $x$ into the sublayer; in a pre-norm block it reads the normalised row.",
        ),
        column_vectors("$W$", lambda way, v: add_sublayer(way, v.x, v.normed, transpose(v.W))),
    ),
)

TOTAL = Step(
    key="total",
    label="Post-norm: $x + xW$",
    axes=("places",),
    compute=lambda way, v: add_sublayer(way, v.x, v.x, v.W),
    how="Multiply $x$ by $W$, then add $x$.",
    nudge="In a post-norm block, nothing’s been normalised yet.",
    formula=r"x + xW",
    worked=first_of(r"x_1 + x \cdot w_1", cell_of("x", "total")),
    cell=cell_of("x", "total"),
    seconds=15,
    mistakes=(
        no_residual(sublayer("x")),
        Mistake(
            "norm_before_add",
            lambda way, v: add_sublayer(way, v.x, v.normed, v.W),
            "You normalised first, like a pre-norm block; here $x$ itself goes in.",
        ),
        column_vectors("$W$", lambda way, v: add_sublayer(way, v.x, v.x, transpose(v.W))),
    ),
)

POST = norm(
    "post",
    "The output of the post-norm block",
    reader("total"),
    norm_before_add(reader("x"), sublayer("x")),
    how="The norm comes last, so it takes the sum with the residual.",
    nudge="Which vector does the norm take when it comes last?",
    formula=r"\mathrm{norm}(x + xW)",
)

FAMILY = Family(
    key="pre_post_norm",
    title="Pre-norm and post-norm",
    summary="The same sublayer with the norm before it, then with the norm after the residual.",
    part="block",
    options={"tokens": (3, 2, 4), "width": (3, 4)},
    draw=draw,
    fit=lambda v: is_spread(v.x) and is_spread(v.total),
    statement=(
        "In “{tokens}”, the word **{word}** enters a sublayer as the row $x$. The sublayer is the "
        "matrix $W$: it turns a row $u$ into $uW$. Find the output of a *pre-norm* block, "
        "$x + \\mathrm{norm}(x)\\,W$, and of a *post-norm* block, $\\mathrm{norm}(x + xW)$. The "
        "norm is LayerNorm (with $\\gamma = 1$, $\\beta = 0$, $\\varepsilon = 0$)."
    ),
    givens=(
        Given("x", "$x$, the input", ("places",)),
        Given("W", "$W$, the sublayer", ("places", "places")),
        *PLAIN_NORM,
    ),
    code="""
normed = layer_norm(x)
pre = x + normed @ W
total = x + x @ W
post = layer_norm(total)
""",
    steps=(NORMED, PRE, TOTAL, POST),
)
