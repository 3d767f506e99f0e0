"""What a text's length costs: steps of an RNN, the path of attention, the number of scores."""

import numpy as np

from attention_core.maths.softmax import Array
from attention_core.problems.drawing import Stream
from attention_core.problems.family import Drawn, Family, Given, Mistake, Options, Step, Values
from attention_core.problems.ways import Way
from attention_core.problems.worked import number


def draw(stream: Stream, sizes: Options) -> Drawn:
    return Drawn(numbers={"T": np.array(6 + stream.below(95))})


def recurrent_steps(way: Way, v: Values) -> Array:
    return v.T - 1


def attention_path(way: Way, v: Values) -> Array:
    return np.ones_like(v.T)


def scores(way: Way, v: Values) -> Array:
    return v.T * v.T


FAMILY = Family(
    key="path_and_cost",
    title="Path and cost",
    summary="Attention’s short path, and the square that it costs.",
    options={},
    draw=draw,
    statement=(
        "A text has {T} words. How far must information travel from the first word to the last, "
        "and how many scores does one attention head compute? No mask hides anything."
    ),
    givens=(Given("T", "$T$, the number of words"),),
    steps=(
        Step(
            key="recurrent_steps",
            label="Steps of an RNN from the first word to the last",
            axes=(),
            compute=recurrent_steps,
            how="An RNN goes from each word to the next: $T - 1$ steps lie between $T$ words.",
            worked=lambda v: rf"T - 1 = {number(v.T)} - 1 = {number(v.recurrent_steps)}",
            decimals=0,
            seconds=10,
            mistakes=(
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
            ),
        ),
        Step(
            key="attention_path",
            label="Steps of attention from the first word to the last",
            axes=(),
            compute=attention_path,
            how="Every word looks at every other directly: one step, however long the text.",
            worked=lambda v: "1",
            decimals=0,
            seconds=6,
            mistakes=(
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
            ),
        ),
        Step(
            key="scores",
            label="Scores of one attention head",
            axes=(),
            compute=scores,
            how="Every word meets every word, itself too: $T^2$ scores.",
            worked=lambda v: rf"T^2 = {number(v.T)}^2 = {number(v.scores)}",
            decimals=0,
            seconds=12,
            mistakes=(
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
                    "doubled",
                    lambda way, v: 2 * v.T,
                    "You doubled the number of words. Multiply it by itself.",
                ),
            ),
        ),
    ),
)
