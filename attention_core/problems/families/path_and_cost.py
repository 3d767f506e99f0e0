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
        "You counted the words. The steps lie between them, so there’s one fewer.",
    ),
    Mistake(
        "ends_left_out",
        lambda way, v: v.T - 2,
        "You counted only the words in between. Count the steps from each word to the next.",
    ),
    Mistake(
        "as_attention",
        lambda way, v: np.ones_like(v.T),
        "You took attention’s single step; an RNN has to pass through every word.",
    ),
    how="An RNN goes from each word to the next, so $T$ words take $T - 1$ steps.",
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
        "You took the RNN’s path. Attention links any two words directly.",
    ),
    Mistake(
        "counted_tokens",
        lambda way, v: v.T,
        "You counted the words. Attention links any two of them directly.",
    ),
    Mistake(
        "ends_counted",
        lambda way, v: np.full_like(v.T, 2),
        "You counted both words. There’s a single step between them.",
    ),
    how="Every word looks directly at every other. It’s one step, however long the text is.",
    nudge="In self-attention, does anything come between two words?",
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
        "You counted one score per word. Each word meets *every* word, so there are $T^2$.",
    ),
    Mistake(
        "mask_self",
        lambda way, v: v.T * (v.T - 1),
        "You left out each word’s score with itself. A word meets itself too.",
    ),
    Mistake(
        "pairs_once",
        lambda way, v: v.T * (v.T - 1) / 2,
        "You counted each pair once. A pair has two scores, because queries and keys "
        "differ. Each word also has one with itself.",
    ),
    Mistake(
        "mask_applied",
        lambda way, v: v.T * (v.T + 1) / 2,
        "You counted as if a causal mask hid later words. There’s no mask here.",
    ),
    Mistake(
        "doubled", lambda way, v: 2 * v.T, "You doubled the number of words. Multiply it by itself."
    ),
    how="Each of the $T$ words has a score with all $T$ words, itself included.",
    nudge="How many words does each word look at?",
    formula=r"T \cdot T = T^2",
    seconds=12,
)

FAMILY = Family(
    key="path_and_cost",
    title="Path and cost",
    summary="How short attention’s path is, and how many scores it costs.",
    part="whole",
    options={},
    draw=draw,
    statement=(
        "A text has {T} words. How many steps does information take from the first word, at "
        "position 1, to the last, at position {T}? Count them for an RNN and for one layer of "
        "self-attention. And how many scores does one attention head compute? There’s no mask."
    ),
    givens=(Given("T", "$T$, the number of words"),),
    code="""
recurrent_steps = T - 1
attention_path = 1
scores = T * T
""",
    steps=(RECURRENT_STEPS, ATTENTION_PATH, SCORES),
)
