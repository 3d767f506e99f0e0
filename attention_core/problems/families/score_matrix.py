"""Every query against every key: QKᵀ."""

from attention_core.problems.drawing import Stream
from attention_core.problems.family import Drawn, Family, Given, Options, Step, Values
from attention_core.problems.inputs import is_square, reader
from attention_core.problems.latex import equals, first_of, sum_of_products
from attention_core.problems.mistakes import (
    cell_by_cell,
    feature_gram,
    not_transposed,
    signs_dropped,
    transposed_scores,
)
from attention_core.problems.rounding import transpose
from attention_core.problems.steps import EVERY_SCORE


def draw(stream: Stream, sizes: Options) -> Drawn:
    shape = sizes["tokens"], sizes["width"]
    return Drawn(
        numbers={"Q": stream.tenths(*shape), "K": stream.tenths(*shape)},
        words={"tokens": stream.sentence(sizes["tokens"])},
    )


def cell(v: Values, row: int, column: int) -> str:
    return f"{sum_of_products(v.Q[row], v.K[column])} {equals(v.scores[row, column])}"


SCORES = Step(
    key="scores",
    label="$QK^\\top$, the raw scores",
    axes=("tokens", "tokens"),
    compute=lambda way, v: way.product(v.Q, transpose(v.K)),
    how=EVERY_SCORE,
    nudge="Start with one cell: whose query and whose key meet there?",
    formula=r"s_{ij} = q_i \cdot k_j, \qquad S = QK^\top",
    worked=first_of(r"q_1 \cdot k_1", cell),
    cell=cell,
    seconds=22,
    mistakes=(
        transposed_scores(lambda way, v: way.product(v.K, transpose(v.Q))),
        not_transposed(reader("Q"), reader("K"), when=is_square("Q")),
        feature_gram(reader("Q"), reader("K"), when=is_square("Q")),
        cell_by_cell(reader("Q"), reader("K"), "row", when=is_square("Q")),
        signs_dropped(reader("Q"), lambda v: transpose(v.K)),
    ),
)

FAMILY = Family(
    key="score_matrix",
    title="The matrix of scores",
    summary="Every query against every key, all at once.",
    part="dot_product",
    options={"tokens": (2, 3), "width": (3, 2, 4)},
    draw=draw,
    statement=(
        "In “{tokens}”, every word has a query (a row of $Q$) and a key (a row of $K$). "
        "Find the raw scores $QK^\\top$, with a row for each query and a column for each key."
    ),
    givens=(
        Given("Q", "$Q$, the queries", ("tokens", "places")),
        Given("K", "$K$, the keys", ("tokens", "places")),
    ),
    version=2,
    code="""
scores = Q @ K.T
""",
    steps=(SCORES,),
)
