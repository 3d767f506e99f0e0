"""The costs of a text's length: steps of an RNN, the path of attention, the number of scores."""

import numpy as np

from attention_core.problems.drawing import Stream
from attention_core.problems.family import Drawn, Family, Given, Mistake, Options
from attention_core.problems.latex import equals, number
from attention_core.problems.steps import count

# The length is all that is given, so texts of every length that a model reads are drawn from.
SHORTEST, LONGEST = 10, 9_999


def draw(stream: Stream, sizes: Options) -> Drawn:
    return Drawn(numbers={"T": np.array(SHORTEST + stream.below(LONGEST - SHORTEST + 1))})


RECURRENT_STEPS = count(
    "recurrent_steps",
    "Steps of an RNN from position 1 to position {T}",
    lambda way, v: v.T - 1,
    lambda v: rf"T - 1 = {number(v.T)} - 1 {equals(v.recurrent_steps)}",
    Mistake(
        "counted_tokens",
        lambda way, v: v.T,
        "You counted the words. Steps lie between them, so there is one fewer.",
    ),
    Mistake(
        "ends_left_out",
        lambda way, v: v.T - 2,
        "You counted the words in between. Each step leads from one word to the next.",
    ),
    Mistake(
        "as_attention",
        lambda way, v: np.ones_like(v.T),
        "One step is enough for attention. An RNN has to pass through every word.",
    ),
    how="An RNN goes from each word to the next: $T - 1$ steps lie between $T$ words.",
    nudge="Count the steps between the words, not the words.",
    formula=r"T - 1",
    seconds=10,
)

ATTENTION_PATH = count(
    "attention_path",
    "Steps of self-attention from position 1 to position {T}",
    lambda way, v: np.ones_like(v.T),
    lambda v: "1",
    Mistake(
        "as_recurrent",
        lambda way, v: v.T - 1,
        "That is the RNN’s path. Attention links any two words directly.",
    ),
    Mistake(
        "counted_tokens",
        lambda way, v: v.T,
        "You counted the words. Attention links any two of them directly.",
    ),
    Mistake(
        "ends_counted",
        lambda way, v: np.full_like(v.T, 2),
        "You counted both words. Between them lies a single step.",
    ),
    how="Every word looks at every other directly: one step, however long the text.",
    nudge="In self-attention, does anything stand between two words?",
    formula=r"\mathrm{path}(i, j) = 1 \quad \text{for all } i, j",
    seconds=6,
)

SCORES = count(
    "scores",
    "Scores of one attention head",
    lambda way, v: v.T * v.T,
    lambda v: rf"T^2 = {number(v.T)}^2 {equals(v.scores)}",
    Mistake(
        "not_squared",
        lambda way, v: v.T,
        "Every word meets *every* word, so there are $T^2$ scores, not $T$.",
    ),
    Mistake(
        "mask_self",
        lambda way, v: v.T * (v.T - 1),
        "You left out each word’s score with itself. A word meets itself too.",
    ),
    Mistake(
        "pairs_once",
        lambda way, v: v.T * (v.T - 1) / 2,
        "You counted each pair once. A query and a key differ, so each pair has "
        "two scores, and each word one with itself.",
    ),
    Mistake(
        "mask_applied",
        lambda way, v: v.T * (v.T + 1) / 2,
        "You counted as if a causal mask hid what comes later. Nothing is hidden here.",
    ),
    Mistake(
        "doubled", lambda way, v: 2 * v.T, "You doubled the number of words. Multiply it by itself."
    ),
    how="Every word meets every word, itself included: $T^2$ scores.",
    nudge="How many words does each word look at?",
    formula=r"T \cdot T = T^2",
    seconds=12,
)

FAMILY = Family(
    key="path_and_cost",
    title="Path and cost",
    summary="Attention’s short path, and the square that it costs.",
    part="whole",
    options={},
    draw=draw,
    statement=(
        "A text has {T} words. In how many steps does information get from the first word, at "
        "position 1, to the last, at position {T}: in an RNN, and in one layer of self-attention? "
        "And how many scores does one attention head compute? No mask hides anything."
    ),
    givens=(Given("T", "$T$, the number of words"),),
    code="""
recurrent_steps = T - 1
attention_path = 1
scores = T * T
""",
    steps=(RECURRENT_STEPS, ATTENTION_PATH, SCORES),
)
