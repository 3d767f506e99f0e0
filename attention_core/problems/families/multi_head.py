"""Two heads from the words to the output: each attends by itself, then W_O mixes them."""

import numpy as np

from attention_core.maths.softmax import Array
from attention_core.problems.drawing import Stream
from attention_core.problems.family import (
    Compute,
    Drawn,
    Family,
    Given,
    Mistake,
    Options,
    Step,
    Values,
)
from attention_core.problems.mistakes import (
    base_two,
    column_softmax,
    hard_max,
    no_exponential,
    unnormalised,
    unscaled,
)
from attention_core.problems.ways import EXACT, Way, transpose
from attention_core.problems.worked import dot_product, fraction, softmax_cell, sum_of_products

D_MODEL, HEADS, D_K = 4, 2, 2
NUMBER = {1: "one", 2: "two"}


def draw(stream: Stream, sizes: Options) -> Drawn:
    X = stream.tenths(sizes["tokens"], D_MODEL, low=-1, high=1)
    numbers = {"X": X}
    for head in (1, 2):
        W_Q, W_K, W_V = (stream.tenths(D_MODEL, D_K, low=-1, high=1) for _ in range(3))
        # Turned so that words rather match themselves: few rows then have negative scores only.
        agreement = np.sum((X @ W_Q) * (X @ W_K), axis=0)
        W_K = np.where(agreement < 0, 0 - W_K, W_K)
        numbers |= {f"W_Q{head}": W_Q, f"W_K{head}": W_K, f"W_V{head}": W_V}
    numbers["W_O"] = stream.tenths(HEADS * D_K, D_MODEL, low=-1, high=1)
    return Drawn(numbers, {"tokens": stream.sentence(sizes["tokens"])})


def project(way: Way, v: Values, name: str, head: int) -> Array:
    """Q, K or V of a head."""
    return way.product(v.X, v[f"W_{name}{head}"])


def raw_scores(way: Way, v: Values, head: int, key_head: int) -> Array:
    return way.product(project(way, v, "Q", head), transpose(project(way, v, "K", key_head)))


def scaled(way: Way, raw: Array, width: int = D_K) -> Array:
    return way.divide(raw, way.root(np.full(raw.shape[:-2], float(width))))


def weights_of(v: Values, head: int) -> Array:
    return v[f"weights_{NUMBER[head]}"]


def heads_of(v: Values) -> list[Array]:
    return [v.head_one, v.head_two]


def concatenated(v: Values) -> Array:
    return np.concatenate(heads_of(v), axis=-1)


def output(way: Way, v: Values) -> Array:
    return way.product(concatenated(v), v.W_O)


def unprojected(way: Way, v: Values) -> Array:
    return concatenated(v)


def averaged(way: Way, v: Values) -> Array:
    return way.keep(output(way, v) / HEADS)


def heads_swapped(way: Way, v: Values) -> Array:
    return way.product(np.concatenate(heads_of(v)[::-1], axis=-1), v.W_O)


def by_columns(way: Way, v: Values) -> Array:
    return way.product(concatenated(v), transpose(v.W_O))


def scores_stay_small(v: Values) -> bool:
    """Beyond these, rounding the exponentials strays too far."""
    both = np.stack([v.scores_one, v.scores_two])
    return bool(np.abs(both).max() <= 4 and both.max(axis=-1).min() >= 0)


def score_step(head: int) -> Step:
    name, other = NUMBER[head], HEADS + 1 - head

    def scores(way: Way, v: Values) -> Array:
        return scaled(way, raw_scores(way, v, head, head))

    def transposed(way: Way, v: Values) -> Array:
        return transpose(scores(way, v))

    def scaled_by_model(way: Way, v: Values) -> Array:
        return scaled(way, raw_scores(way, v, head, head), D_MODEL)

    def other_keys(way: Way, v: Values) -> Array:
        return scaled(way, raw_scores(way, v, head, other))

    def worked(v: Values) -> str:
        q, k = project(EXACT, v, "Q", head)[0], project(EXACT, v, "K", head)[0]
        below = rf"\sqrt{{{D_K}}}"
        return fraction(
            r"\frac{q_1 \cdot k_1}{\sqrt{d_k}}",
            sum_of_products(q, k),
            below,
            v[f"scores_{name}"][0, 0],
        )

    return Step(
        key=f"scores_{name}",
        label=f"Head {head}: the scaled scores",
        axes=("tokens", "tokens"),
        compute=scores,
        how="Project to queries and keys; divide their dot products by $\\sqrt{d_k}$.",
        worked=worked,
        seconds=40,
        # Dividing by d_k has no name of its own: here it is the root of d_model.
        mistakes=(
            Mistake(
                "transposed",
                transposed,
                "Rows belong to queries, columns to keys: you formed $KQ^\\top$.",
            ),
            unscaled(lambda v: raw_scores(EXACT, v, head, head)),
            Mistake(
                "head_width",
                scaled_by_model,
                "You divided by $\\sqrt{d_{model}}$; a head’s keys are only "
                "$d_k = d_{model} / h$ wide.",
            ),
            Mistake(
                "other_projection",
                other_keys,
                "These keys belong to the other head: each head has its own matrices.",
            ),
        ),
    )


def weight_step(head: int) -> Step:
    name = NUMBER[head]

    def scores_of(v: Values) -> Array:
        return v[f"scores_{name}"]

    return Step(
        key=f"weights_{name}",
        label=f"Head {head}: the attention weights $A_{head}$",
        axes=("tokens", "tokens"),
        compute=lambda way, v: way.softmax(scores_of(v)),
        how="Apply the softmax to each row, in each head by itself.",
        worked=lambda v: softmax_cell("a_{11}", scores_of(v)[0], 0, weights_of(v, head)[0, 0]),
        seconds=18,
        mistakes=(
            column_softmax(scores_of),
            no_exponential(scores_of),
            unnormalised(scores_of),
            base_two(scores_of),
            hard_max(scores_of),
        ),
    )


def head_step(head: int) -> Step:
    other = HEADS + 1 - head

    def mix_of(name: str, of_head: int) -> Compute:
        return lambda way, v: way.product(weights_of(v, head), project(way, v, name, of_head))

    def weight_column(way: Way, v: Values) -> Array:
        return way.product(transpose(weights_of(v, head)), project(way, v, "V", head))

    def worked(v: Values) -> str:
        V = project(EXACT, v, "V", head)
        result = v[f"head_{NUMBER[head]}"][0, 0]
        return dot_product("z_{11}", weights_of(v, head)[0], V[:, 0], result)

    return Step(
        key=f"head_{NUMBER[head]}",
        label=f"Head {head}: the output $Z_{head}$",
        axes=("tokens", "places"),
        compute=mix_of("V", head),
        how="Project to values and blend them by each row of weights.",
        worked=worked,
        seconds=30,
        mistakes=(
            Mistake(
                "mixed_keys",
                mix_of("K", head),
                "The *values* are what is mixed; you mixed the keys.",
            ),
            Mistake(
                "other_projection",
                mix_of("V", other),
                "These values belong to the other head: each head has its own matrices.",
            ),
            Mistake(
                "weight_column",
                weight_column,
                "Use the query’s *row* of weights; you used a column.",
            ),
        ),
    )


FAMILY = Family(
    key="multi_head",
    title="Multi-head attention",
    summary="Two heads with matrices of their own, concatenated and projected.",
    options={"tokens": (2, 3)},
    draw=draw,
    fit=scores_stay_small,
    statement=(
        "The words of “{tokens}” are the rows of $X$. Two heads, each 2 wide, read them with "
        "matrices of their own. Find the scores, the weights and the output of each head, then "
        "concatenate the heads and apply $W^O$."
    ),
    givens=(
        Given("X", "$X$, the words", ("tokens", "places")),
        *(
            Given(f"W_{name}{head}", f"Head {head}: $W^{name}_{head}$", ("places", "places"))
            for head in (1, 2)
            for name in "QKV"
        ),
        Given("W_O", "$W^O$, the output projection", ("places", "places")),
    ),
    steps=(
        score_step(1),
        weight_step(1),
        head_step(1),
        score_step(2),
        weight_step(2),
        head_step(2),
        Step(
            key="output",
            label="The output, after $W^O$",
            axes=("tokens", "places"),
            compute=output,
            how="Set the heads side by side and multiply each row by $W^O$.",
            worked=lambda v: dot_product("o_{11}", concatenated(v)[0], v.W_O[:, 0], v.output[0, 0]),
            seconds=22,
            mistakes=(
                Mistake(
                    "no_output_projection",
                    unprojected,
                    "This is the concatenation itself: project it with $W^O$.",
                ),
                Mistake(
                    "heads_averaged",
                    averaged,
                    "You averaged over the heads. They are concatenated, so their parts add up.",
                ),
                Mistake(
                    "heads_swapped",
                    heads_swapped,
                    "Head 1 comes first: $W^O$ expects its columns at the left.",
                ),
                Mistake(
                    "column_vectors",
                    by_columns,
                    "Words are rows here: multiply each row by the *columns* of $W^O$.",
                ),
            ),
        ),
    ),
)
