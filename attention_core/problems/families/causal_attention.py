"""Attention under the causal mask: a word may look back and at itself, never ahead."""

import numpy as np

from attention_core.maths.arrays import Array
from attention_core.problems.drawing import Stream
from attention_core.problems.family import Drawn, Family, Given, Mistake, Options, Step, Values
from attention_core.problems.latex import softmax_cell
from attention_core.problems.mistakes import (
    base_two,
    column_softmax,
    global_softmax,
    hard_max,
    no_exponential,
    unnormalised,
)
from attention_core.problems.rounding import Way, transpose


def draw(stream: Stream, sizes: Options) -> Drawn:
    tokens = sizes["tokens"]
    return Drawn(
        numbers={"scores": stream.scores(tokens), "mask": np.tri(tokens)},
        words={"tokens": stream.sentence(tokens)},
    )


def masked_scores(v: Values) -> Array:
    return np.where(v.mask == 1, v.scores, -np.inf)


def masked_and_the_first_row(v: Values) -> np.ndarray:
    """Return the masked cells, which are 0, and the lone cell of a word that sees only itself."""
    alone = v.mask.sum(axis=-1, keepdims=True) == 1
    return np.asarray((v.mask == 0) | alone)


def self_hidden(way: Way, v: Values) -> Array:
    before = v.mask - np.eye(v.mask.shape[-1])
    return way.softmax(np.where(before == 1, v.scores, -np.inf))


def rows_have_a_score_from_zero_up(v: Values) -> bool:
    return bool(masked_scores(v)[1:].max(axis=-1).min() >= 0)


def cell(v: Values, row: int, column: int) -> str:
    return softmax_cell(v.scores[row, v.mask[row] == 1], column, v.weights[row, column])


WEIGHTS = Step(
    key="weights",
    label="$A$, the attention weights under the mask",
    axes=("tokens", "tokens"),
    compute=lambda way, v: way.softmax(masked_scores(v)),
    how="Set masked scores to $-\\infty$, then apply the softmax to each row.",
    nudge="A later word mustn’t get any weight, and the rest of the row must still sum to 1.",
    formula=r"a_{ij} = \frac{e^{s_{ij}}}{\sum_{m \le i} e^{s_{im}}} \quad (j \le i)",
    worked=lambda v: f"a_{{22}} = {cell(v, 1, 1)}",
    cell=cell,
    fixed=masked_and_the_first_row,
    seconds=22,
    mistakes=(
        Mistake(
            "mask_after",
            lambda way, v: way.softmax(v.scores) * v.mask,
            "You masked after the softmax, so some rows don’t sum to 1. Mask the scores first.",
        ),
        Mistake(
            "mask_zero",
            lambda way, v: way.softmax(v.scores * v.mask),
            "You set masked scores to 0, but $e^0 = 1$ still gets weight. Set them to $-\\infty$.",
        ),
        Mistake(
            "mask_past",
            lambda way, v: way.softmax(np.where(transpose(v.mask) == 1, v.scores, -np.inf)),
            "You hid the past. Hide the future: a word may look back and at itself.",
        ),
        Mistake("mask_self", self_hidden, "You masked the diagonal. A word may look at itself."),
        column_softmax(masked_scores),
        global_softmax(masked_scores),
        no_exponential(lambda v: v.scores * v.mask),
        unnormalised(masked_scores),
        base_two(masked_scores),
        hard_max(masked_scores),
        Mistake(
            "uniform",
            lambda way, v: way.normalise(v.mask),
            "You gave all visible words the same weight. A larger score earns a larger one.",
        ),
    ),
)

FAMILY = Family(
    key="causal_attention",
    title="Causal attention",
    summary="Mask before the softmax, so that every row still sums to 1.",
    part="attention",
    options={"tokens": (3, 4)},
    draw=draw,
    fit=rows_have_a_score_from_zero_up,
    statement=(
        "A model writes “{tokens}” word by word, so a word may look back and at itself, but not "
        "ahead. Find the attention weights from the scaled scores and the mask. "
        "We’ve filled in the masked cells and the first row."
    ),
    givens=(
        Given("scores", "Scaled scores", ("tokens", "tokens")),
        Given("mask", "The mask: 1 where a word may look", ("tokens", "tokens")),
    ),
    version=2,
    code="""
weights = softmax(np.where(mask == 1, scores, -np.inf))
""",
    steps=(WEIGHTS,),
)
