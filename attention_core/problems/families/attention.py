"""The whole of scaled dot-product attention, in its four steps."""

from attention_core.problems.drawing import Stream, align_keys
from attention_core.problems.family import Drawn, Family, Given, Options
from attention_core.problems.inputs import is_square, reader, rounds_well, width_of
from attention_core.problems.mistakes import (
    blend_mistakes,
    cell_by_cell,
    column_softmax,
    feature_gram,
    global_softmax,
    mixed_keys,
    not_transposed,
    scaled_by_tokens,
    signs_dropped,
    transposed_scores,
    weight_column,
)
from attention_core.problems.rounding import transpose
from attention_core.problems.steps import (
    ALL_ROWS,
    EVERY_OUTPUT,
    EVERY_SCORE,
    product,
    scaling,
    softmax,
)


def draw(stream: Stream, sizes: Options) -> Drawn:
    shape = sizes["tokens"], sizes["width"]
    # Larger ones make scores beyond what careful rounding survives.
    Q, K = (stream.tenths(*shape, low=-1.5, high=1.5) for _ in "QK")
    return Drawn(
        numbers={"Q": Q, "K": align_keys(K, Q), "V": stream.tenths(*shape)},
        words={"tokens": stream.sentence(sizes["tokens"])},
    )


SCORES = product(
    "scores",
    "$QK^\\top$, the raw scores",
    reader("Q"),
    lambda v: transpose(v.K),
    transposed_scores(lambda way, v: way.product(v.K, transpose(v.Q))),
    not_transposed(reader("Q"), reader("K"), when=is_square("Q")),
    feature_gram(reader("Q"), reader("K"), when=is_square("Q")),
    cell_by_cell(reader("Q"), reader("K"), "row", when=is_square("Q")),
    signs_dropped(reader("Q"), lambda v: transpose(v.K)),
    axes=("tokens", "tokens"),
    name=r"q_1 \cdot k_1",
    how=EVERY_SCORE,
    nudge="Start with one cell: whose query and whose key meet there?",
    formula=r"s_{ij} = q_i \cdot k_j",
    seconds=20,
)

SCALED = scaling(
    "The scaled scores",
    reader("scores"),
    width_of("K"),
    scaled_by_tokens(reader("scores"), width_of("K")),
    axes=("tokens", "tokens"),
    how="Divide every score by $\\sqrt{d_k}$, the root of the width of a key.",
)

WEIGHTS = softmax(
    "weights",
    "$A$, the attention weights",
    reader("scaled"),
    column_softmax(reader("scaled")),
    global_softmax(reader("scaled")),
    axes=("tokens", "tokens"),
    how=ALL_ROWS,
)

OUTPUT = product(
    "output",
    "The output $AV$",
    reader("weights"),
    reader("V"),
    mixed_keys(reader("weights"), reader("K")),
    weight_column(reader("weights"), reader("V")),
    *blend_mistakes(reader("weights"), reader("V")),
    axes=("tokens", "places"),
    name="z_{11}",
    how=EVERY_OUTPUT,
    nudge="A row of weights says how much of each value that word takes.",
    formula=r"z_i = \sum_j a_{ij}\, v_j",
)

FAMILY = Family(
    key="attention",
    title="Attention in four steps",
    summary="From queries, keys and values to the output. A slip doesn’t cost you later steps.",
    part="attention",
    options={"tokens": (2, 3), "width": (3, 2, 4)},
    draw=draw,
    fit=lambda v: rounds_well(v.scaled),
    statement=(
        "Here are the queries, keys and values of “{tokens}”, one row for each word. "
        "Work through attention: $\\mathrm{softmax}\\left(\\frac{QK^\\top}{\\sqrt{d_k}}\\right)V$."
    ),
    givens=(
        Given("Q", "$Q$, the queries", ("tokens", "places")),
        Given("K", "$K$, the keys", ("tokens", "places")),
        Given("V", "$V$, the values", ("tokens", "places")),
    ),
    version=2,
    code="""
scores = Q @ K.T
scaled = scores / np.sqrt(K.shape[-1])
weights = softmax(scaled)
output = weights @ V
""",
    steps=(SCORES, SCALED, WEIGHTS, OUTPUT),
)
