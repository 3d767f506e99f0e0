"""Every query against every key: QKᵀ."""

from attention_core.maths.softmax import Array
from attention_core.problems.drawing import Stream
from attention_core.problems.family import Drawn, Family, Given, Mistake, Options, Step, Values
from attention_core.problems.ways import Way, transpose
from attention_core.problems.worked import dot_product


def draw(stream: Stream, sizes: Options) -> Drawn:
    shape = sizes["tokens"], sizes["width"]
    return Drawn(
        numbers={"Q": stream.tenths(*shape), "K": stream.tenths(*shape)},
        words={"tokens": stream.sentence(sizes["tokens"])},
    )


def is_square(v: Values) -> bool:
    return bool(v.Q.shape[-1] == v.Q.shape[-2])


def scores(way: Way, v: Values) -> Array:
    return way.product(v.Q, transpose(v.K))


def keys_against_queries(way: Way, v: Values) -> Array:
    return way.product(v.K, transpose(v.Q))


def not_transposed(way: Way, v: Values) -> Array:
    return way.product(v.Q, v.K)


def features_against_features(way: Way, v: Values) -> Array:
    return way.product(transpose(v.Q), v.K)


def cell_by_cell(way: Way, v: Values) -> Array:
    return way.keep(v.Q * v.K)


def worked(v: Values) -> str:
    return dot_product(r"q_1 \cdot k_1", v.Q[0], v.K[0], v.scores[0, 0])


FAMILY = Family(
    key="score_matrix",
    title="The matrix of scores",
    summary="All queries against all keys at once.",
    options={"tokens": (2, 3), "width": (3, 2, 4)},
    draw=draw,
    statement=(
        "In “{tokens}” every word has a query (a row of $Q$) and a key (a row of $K$). "
        "Find the raw scores $QK^\\top$: a row for each query, a column for each key."
    ),
    givens=(
        Given("Q", "$Q$, the queries", ("tokens", "places")),
        Given("K", "$K$, the keys", ("tokens", "places")),
    ),
    steps=(
        Step(
            key="scores",
            label="$QK^\\top$, the raw scores",
            axes=("tokens", "tokens"),
            compute=scores,
            how="Each cell is the dot product of its row’s query and its column’s key.",
            worked=worked,
            seconds=22,
            mistakes=(
                Mistake(
                    "transposed",
                    keys_against_queries,
                    "Rows belong to queries, columns to keys: you formed $KQ^\\top$.",
                ),
                Mistake(
                    "not_transposed",
                    not_transposed,
                    "A score takes a query’s row and a key’s *row*: transpose $K$ first.",
                    when=is_square,
                ),
                Mistake(
                    "feature_gram",
                    features_against_features,
                    "You compared features with features; tokens are the rows, so $QK^\\top$.",
                    when=is_square,
                ),
                Mistake(
                    "elementwise",
                    cell_by_cell,
                    "Multiply row by row and add up; you multiplied cell by cell.",
                    when=is_square,
                ),
            ),
        ),
    ),
)
