"""Every word against every word, with the embeddings as queries and keys: XXᵀ."""

from attention_core.maths.arrays import Array
from attention_core.problems.drawing import Stream
from attention_core.problems.family import Drawn, Family, Given, Mistake, Options, Step, Values
from attention_core.problems.inputs import is_square
from attention_core.problems.latex import equals, sum_of_products
from attention_core.problems.mistakes import signs_dropped, sums_multiplied
from attention_core.problems.rounding import Way, transpose


def draw(stream: Stream, sizes: Options) -> Drawn:
    tokens = sizes["tokens"]
    return Drawn(
        numbers={"X": stream.tenths(tokens, sizes["width"])},
        words={"tokens": stream.sentence(tokens)},
    )


def product_of_sums(way: Way, v: Values) -> Array:
    sums = v.X.sum(axis=-1)
    return way.round(sums[..., :, None] * sums[..., None, :])


def cell(v: Values, row: int, column: int) -> str:
    return f"{sum_of_products(v.X[row], v.X[column])} {equals(v.scores[row, column])}"


SCORES = Step(
    key="scores",
    label="$XX^\\top$, the raw scores",
    axes=("tokens", "tokens"),
    compute=lambda way, v: way.product(v.X, transpose(v.X)),
    how="Each cell is the dot product of two words’ rows. The two halves mirror each other.",
    nudge="Every row is both query and key, so half the cells repeat the other half.",
    formula=r"s_{ij} = x_i \cdot x_j, \qquad S = XX^\top",
    worked=lambda v: rf"x_1 \cdot x_2 = {cell(v, 0, 1)}",
    cell=cell,
    seconds=15,
    mistakes=(
        Mistake(
            "feature_gram",
            lambda way, v: way.product(transpose(v.X), v.X),
            "You compared dimensions: that’s $X^\\top X$. Tokens are the rows, so compute "
            "$XX^\\top$.",
            when=is_square("X"),
        ),
        Mistake(
            "not_transposed",
            lambda way, v: way.product(v.X, v.X),
            "You computed $XX$. A score takes two *rows* of $X$: transpose the second $X$.",
            when=is_square("X"),
        ),
        Mistake(
            "elementwise",
            lambda way, v: way.round(v.X * v.X),
            "You squared cell by cell. Multiply row by row and add up.",
            when=is_square("X"),
        ),
        signs_dropped(lambda v: v.X, lambda v: transpose(v.X)),
        sums_multiplied(product_of_sums),
    ),
)

FAMILY = Family(
    key="self_scores",
    title="Scores without projections",
    summary="The simplest self-attention scores: all words against all words.",
    part="dot_product",
    # Square first: only there can features be mistaken for tokens.
    options={"tokens": (3, 2), "width": (3, 2, 4)},
    draw=draw,
    statement=(
        "In “{tokens}” every word’s row of $X$ is its query and its key. Find all the raw scores "
        "$XX^\\top$."
    ),
    givens=(Given("X", "$X$, the embeddings", ("tokens", "places")),),
    code="""
scores = X @ X.T
""",
    steps=(SCORES,),
)
