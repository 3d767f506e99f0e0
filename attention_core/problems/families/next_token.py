"""From the last hidden vector to the next word: logits, probabilities, the choice."""

import numpy as np

from attention_core.maths.softmax import Array
from attention_core.problems.drawing import Stream
from attention_core.problems.family import Drawn, Family, Given, Mistake, Options, Step, Values
from attention_core.problems.mistakes import (
    base_two,
    equal_weights,
    hard_max,
    no_exponential,
    unnormalised,
)
from attention_core.problems.ways import Way, transpose
from attention_core.problems.worked import dot_product, number, softmax_cell

# Words that may follow any of the sentences.
_CONTINUATIONS = ("again", "and", "because", "here", "now", "often", "slowly", "today", "until")


def draw(stream: Stream, sizes: Options) -> Drawn:
    words = list(_CONTINUATIONS)
    vocabulary = [words.pop(stream.below(len(words))) for _ in range(sizes["vocabulary"])]
    return Drawn(
        numbers={
            "x": stream.tenths(sizes["width"]),
            "W": stream.tenths(sizes["width"], sizes["vocabulary"], low=-1, high=1),
        },
        words={"tokens": stream.sentence(3), "vocabulary": tuple(vocabulary)},
    )


def logits_of(v: Values) -> Array:
    return v.logits


def logits(way: Way, v: Values) -> Array:
    return way.mix(v.x, v.W)


def rows_for_columns(way: Way, v: Values) -> Array:
    return way.mix(v.x, transpose(v.W))


def signs_dropped(way: Way, v: Values) -> Array:
    return way.mix(np.abs(v.x), np.abs(v.W))


def probabilities(way: Way, v: Values) -> Array:
    return way.softmax(v.logits)


def token(way: Way, v: Values) -> Array:
    return np.asarray(v.probabilities.argmax(axis=-1), dtype=np.float64)


def one_word_leads(v: Values) -> bool:
    second, first = np.sort(v.logits)[-2:]
    return bool(np.abs(v.logits).max() <= 4 and first >= 0 and first - second >= 0.1)


def worked_token(v: Values) -> str:
    return rf"\max_t p_t = {number(v.probabilities.max())}"


FAMILY = Family(
    key="next_token",
    title="The next token",
    summary="One logit for each word of the vocabulary, then probabilities, then a choice.",
    options={"vocabulary": (3, 4, 5), "width": (3, 2)},
    draw=draw,
    fit=one_word_leads,
    statement=(
        "A model has read “{tokens} …”. Its last hidden vector is $x$, and each column of "
        "$W_{vocab}$ belongs to a word of its small vocabulary. How likely is each word to come "
        "next, and which comes if the likeliest is taken?"
    ),
    givens=(
        Given("x", "$x$, the last hidden vector", ("places",)),
        Given("W", "$W_{vocab}$", ("places", "vocabulary")),
    ),
    steps=(
        Step(
            key="logits",
            label="The logits $xW_{vocab}$",
            axes=("vocabulary",),
            compute=logits,
            how="Multiply $x$ by the column of each word.",
            worked=lambda v: dot_product(r"x \cdot w_1", v.x, v.W[:, 0], v.logits[0]),
            seconds=15,
            mistakes=(
                Mistake(
                    "column_vectors",
                    rows_for_columns,
                    "Each word has a *column* of $W_{vocab}$; you multiplied by the rows.",
                    when=lambda v: v.W.shape[-1] == v.W.shape[-2],
                ),
                Mistake(
                    "signs_dropped",
                    signs_dropped,
                    "Keep the signs: a plus times a minus takes away from the sum.",
                ),
            ),
        ),
        Step(
            key="probabilities",
            label="The probability of each word",
            axes=("vocabulary",),
            compute=probabilities,
            how="Apply the softmax to the logits.",
            worked=lambda v: softmax_cell("p_1", v.logits, 0, v.probabilities[0]),
            seconds=20,
            mistakes=(
                no_exponential(logits_of),
                unnormalised(logits_of),
                base_two(logits_of),
                hard_max(logits_of),
                equal_weights(logits_of),
            ),
        ),
        Step(
            key="token",
            label="The likeliest next word",
            axes=(),
            compute=token,
            how="Take the word with the largest probability.",
            worked=worked_token,
            seconds=5,
            choices="vocabulary",
            wrong_choice="Take the word with the largest probability; it has the largest logit.",
            mistakes=(),
        ),
    ),
)
