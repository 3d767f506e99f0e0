"""Two heads from the words to the output: each attends by itself, then W_O mixes them."""

import numpy as np

from attention_core.maths.arrays import Array
from attention_core.problems.drawing import Stream
from attention_core.problems.family import Drawn, Family, Given, Mistake, Options, Step, Values
from attention_core.problems.inputs import Read, reader, rounds_well
from attention_core.problems.mistakes import (
    blend_mistakes,
    column_softmax,
    column_vectors,
    global_softmax,
    heads_averaged,
    heads_swapped,
    mixed_keys,
    no_output_projection,
    transposed_scores,
    unscaled,
    weight_column,
)
from attention_core.problems.rounding import EXACT, transpose
from attention_core.problems.steps import product, scaled_scores, scores_of, softmax

# Each head is d_k wide. A column of its matrices takes one feature: the work is in attention.
D_MODEL, D_K = 4, 2
NAMES = {1: "one", 2: "two"}


def draw(stream: Stream, sizes: Options) -> Drawn:
    X = stream.tenths(sizes["tokens"], D_MODEL, low=-1.5, high=1.5)
    numbers = {"X": X}
    for head in NAMES:
        # Queries and keys are of different features, so that QKᵀ and KQᵀ differ.
        W_Q, W_K = np.split(np.eye(D_MODEL)[:, stream.shuffled(D_MODEL)], 2, axis=1)
        W_V = np.eye(D_MODEL)[:, stream.shuffled(D_MODEL)[:D_K]]
        numbers |= {
            f"W_Q{head}": W_Q,
            f"W_K{head}": align_key_signs(W_K, X @ W_Q, X),
            f"W_V{head}": W_V,
        }
    numbers["W_O"] = np.concatenate([draw_output_rows(stream) for _ in NAMES])
    return Drawn(numbers, {"tokens": stream.sentence(sizes["tokens"])})


def align_key_signs(W_K: Array, Q: Array, X: Array) -> Array:
    """Return W_K with the column signs that maximize the least of the words' best scores."""

    def least_of_the_best(W: Array) -> float:
        return float((Q @ (X @ W).T).max(axis=-1).min())

    return max((W_K * [a, b] + 0.0 for a in (1, -1) for b in (1, -1)), key=least_of_the_best)


def draw_output_rows(stream: Stream) -> Array:
    """Draw one head's rows of W_O: every column adds or subtracts one place of the head."""
    columns = [stream.choice((1, -1)) * np.eye(D_K)[stream.below(D_K)] for _ in range(D_MODEL)]
    return np.array(columns).T + 0.0  # no −0


def projected(role: str, head: int) -> Read:
    """Return a reader of the queries, keys or values of a head; not rounded yet."""
    return lambda v: EXACT.product(v.X, v[f"W_{role}{head}"])


def concatenated(v: Values) -> Array:
    return np.concatenate([v.head_one, v.head_two], axis=-1)


def head_steps(head: int) -> tuple[Step, ...]:
    """Return the steps of one head: its scores, its weights and its output."""
    other = 3 - head
    Q, K, V = (projected(role, head) for role in "QKV")
    scores, weights = reader(f"scores_{NAMES[head]}"), reader(f"weights_{NAMES[head]}")

    return (
        scaled_scores(
            f"scores_{NAMES[head]}",
            f"Head {head}: the scaled scores",
            Q,
            K,
            transposed_scores(lambda way, v: way.scale(scores_of(K, Q)(v), D_K)),
            unscaled(scores_of(Q, K)),
            Mistake(
                "head_width",
                lambda way, v: way.scale(scores_of(Q, K)(v), D_MODEL),
                "You divided by $\\sqrt{d_{\\text{model}}}$; a head’s keys are only "
                "$d_k = d_{\\text{model}} / h$ wide.",
            ),
            Mistake(
                "other_projection",
                lambda way, v: way.scale(scores_of(Q, projected("K", other))(v), D_K),
                "You used the other head’s keys; each head has its own matrices.",
            ),
            axes=("tokens", "tokens"),
            how="Project to queries and keys, take dot products, and divide by $\\sqrt{d_k}$.",
            nudge="Make this head’s queries and keys first, with its own matrices.",
            formula=(
                r"\begin{gathered} \frac{Q_i K_i^\top}{\sqrt{d_k}} \\ "
                r"Q_i = X W_{Q,i}, \quad K_i = X W_{K,i} \end{gathered}"
            ),
            seconds=16,
        ),
        softmax(
            f"weights_{NAMES[head]}",
            f"Head {head}: the attention weights $A_{head}$",
            scores,
            column_softmax(scores),
            global_softmax(scores),
            axes=("tokens", "tokens"),
            how="Apply the softmax to each row of this head’s scores.",
            seconds=16,
        ),
        product(
            f"head_{NAMES[head]}",
            f"Head {head}: the output $Z_{head}$",
            weights,
            V,
            mixed_keys(weights, K),
            Mistake(
                "other_projection",
                lambda way, v: way.product(weights(v), projected("V", other)(v)),
                "You used the other head’s values; each head has its own matrices.",
            ),
            weight_column(weights, V),
            *blend_mistakes(weights, V),
            axes=("tokens", "places"),
            name="z_{11}",
            how="Project to values and blend them by each row of weights.",
            nudge="This head has its own matrix for the values, too.",
            formula=r"Z_i = A_i V_i, \qquad V_i = X W_{V,i}",
            seconds=16,
        ),
    )


OUTPUT = product(
    "output",
    "The output, after $W_O$",
    concatenated,
    reader("W_O"),
    no_output_projection("$W_O$", concatenated),
    heads_averaged(concatenated, reader("W_O"), len(NAMES)),
    heads_swapped(
        "$W_O$", lambda way, v: way.product(np.roll(concatenated(v), D_K, axis=-1), v.W_O)
    ),
    column_vectors("$W_O$", lambda way, v: way.product(concatenated(v), transpose(v.W_O))),
    axes=("tokens", "places"),
    name="o_{11}",
    how="Put the heads side by side and multiply each row by $W_O$.",
    nudge="Don’t start with the matrix: first join the heads, head 1 on the left.",
    formula=r"O = [\,Z_1 \;\; Z_2\,]\, W_O",
    seconds=7,
)

FAMILY = Family(
    key="multi_head",
    title="Multi-head attention",
    summary="Two heads with their own matrices, concatenated and projected.",
    part="heads",
    # A variant of three words would take a quarter of an hour.
    options={"tokens": (2,)},
    draw=draw,
    fit=lambda v: rounds_well(v.scores_one) and rounds_well(v.scores_two),
    statement=(
        "The words of “{tokens}” are the rows of $X$. Two heads, each 2 wide, read them with "
        "their own matrices. Each column takes one dimension, some with its sign changed. Find "
        "the scaled scores (divided by $\\sqrt{d_k}$), the weights and the output of each head. "
        "Then concatenate the heads, head 1 on the left, and apply $W_O$."
    ),
    givens=(
        Given("X", "$X$, the words", ("tokens", "places")),
        *(
            Given(f"W_{role}{head}", f"Head {head}: $W_{{{role},{head}}}$", ("places", "places"))
            for head in NAMES
            for role in "QKV"
        ),
        Given("W_O", "$W_O$, the output projection", ("places", "places")),
        Given("heads", "$h$, the number of heads", value=lambda v: len(NAMES)),
        Given("d_k", "$d_k$, the width of a head", value=lambda v: D_K),
    ),
    version=3,
    code="""
Q, K, V = X @ W_Q1, X @ W_K1, X @ W_V1
scores_one = Q @ K.T / np.sqrt(K.shape[-1])
weights_one = softmax(scores_one)
head_one = weights_one @ V

Q, K, V = X @ W_Q2, X @ W_K2, X @ W_V2
scores_two = Q @ K.T / np.sqrt(K.shape[-1])
weights_two = softmax(scores_two)
head_two = weights_two @ V

output = np.concatenate([head_one, head_two], axis=-1) @ W_O
""",
    steps=(*head_steps(1), *head_steps(2), OUTPUT),
)
