"""The next word from the last hidden vector: logits, probabilities, the choice."""

import numpy as np

from attention_core.maths.arrays import Array
from attention_core.problems.drawing import Stream
from attention_core.problems.family import Drawn, Family, Given, Mistake, Options, Values
from attention_core.problems.inputs import is_square, reader
from attention_core.problems.latex import equals
from attention_core.problems.mistakes import signs_dropped
from attention_core.problems.rounding import Way, transpose
from attention_core.problems.steps import choice, product, softmax

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


def one_word_leads(v: Values) -> bool:
    second, first = np.sort(v.logits)[-2:]
    return bool(np.abs(v.logits).max() <= 4 and first >= 0 and first - second >= 0.1)


def likeliest(way: Way, v: Values) -> Array:
    """Return the place of the largest probability; NaN if several are the largest."""
    largest = v.probabilities == v.probabilities.max(axis=-1, keepdims=True)
    return np.where(largest.sum(axis=-1) == 1, largest.argmax(axis=-1), np.nan)


LOGITS = product(
    "logits",
    "The logits $xW_{\\text{vocab}}$",
    reader("x"),
    reader("W"),
    Mistake(
        "column_vectors",
        lambda way, v: way.mix(v.x, transpose(v.W)),
        "You multiplied by the rows; each word has a *column* of $W_{\\text{vocab}}$.",
        when=is_square("W"),
    ),
    signs_dropped(reader("x"), reader("W")),
    axes=("vocabulary",),
    name=r"x \cdot w_1",
    how="Multiply $x$ by each word’s column.",
    nudge="Each word of the vocabulary has one column. How do you compare it with $x$?",
    formula=r"l = x\, W_{\text{vocab}}",
    seconds=15,
)

PROBABILITIES = softmax(
    "probabilities",
    "The probability of each word",
    reader("logits"),
    axes=("vocabulary",),
    name="p_1",
    how="Apply the softmax to the logits.",
    nudge="Logits can be any size, with either sign. What makes them positive, with a sum of 1?",
    formula=r"p_i = \frac{e^{l_i}}{\sum_m e^{l_m}}",
    seconds=20,
)

TOKEN = choice(
    "token",
    "The likeliest next word",
    "vocabulary",
    likeliest,
    lambda v: rf"\max_i p_i {equals(v.probabilities.max())}",
    how="Take the word with the largest probability.",
    nudge="There’s no random draw here, so just compare the probabilities.",
    formula=r"\arg\max_i\, p_i",
    wrong="This word isn’t the likeliest; take the one with the largest logit and probability.",
    seconds=5,
)

FAMILY = Family(
    key="next_token",
    title="The next token",
    summary="One logit for each word of the vocabulary, then probabilities, then a choice.",
    part="whole",
    options={"vocabulary": (3, 4, 5), "width": (3, 2)},
    draw=draw,
    fit=one_word_leads,
    statement=(
        "A model has read “{tokens} …”. Its last hidden vector is $x$. Each column of "
        "$W_{\\text{vocab}}$ belongs to one word of its small vocabulary. How likely is each word "
        "to come next, and which one does the model choose if it takes the likeliest?"
    ),
    givens=(
        Given("x", "$x$, the last hidden vector", ("places",)),
        Given("W", "$W_{\\text{vocab}}$", ("places", "vocabulary")),
    ),
    code="""
logits = x @ W
probabilities = softmax(logits)
token = probabilities.argmax()
""",
    steps=(LOGITS, PROBABILITIES, TOKEN),
)
