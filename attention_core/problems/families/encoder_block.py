"""One word through a whole encoder block: attention, add and norm, feed-forward, add and norm."""

import numpy as np

from attention_core.problems.drawing import Stream
from attention_core.problems.family import Drawn, Family, Given, Mistake, Options, Values
from attention_core.problems.inputs import is_spread, reader, rounds_well, row_of, width_of
from attention_core.problems.mistakes import (
    activated_early,
    blend_mistakes,
    norm_before_add,
    scale_mistakes,
    unweighted_sum,
)
from attention_core.problems.steps import (
    PLAIN_NORM,
    layer,
    layer_after_relu,
    norm,
    product,
    residual,
    scaled_scores,
    scores_of,
    softmax,
)

D_MODEL, D_HIDDEN = 3, 4


def draw(stream: Stream, sizes: Options) -> Drawn:
    sentence = stream.sentence(sizes["tokens"])
    asked = stream.below(len(sentence))
    # Larger numbers give large scores, whose exponentials three decimals cannot hold.
    X = stream.tenths(len(sentence), D_MODEL, low=-1.5, high=1.5)
    X[asked] = stream.lopsided(D_MODEL, largest=1.2)
    return Drawn(
        numbers={
            "X": X,
            "asked": np.eye(len(sentence))[asked],  # 1 at the word asked for
            "W_1": stream.tenths(D_MODEL, D_HIDDEN, low=-1, high=1),
            "b_1": stream.tenths(D_HIDDEN, low=-1, high=1),
            "W_2": stream.tenths(D_HIDDEN, D_MODEL, low=-1, high=1),
            "b_2": stream.tenths(D_MODEL, low=-1, high=1),
        },
        words={"tokens": sentence, "word": (sentence[asked],)},
    )


x = row_of("X")


def every_part_can_be_followed(v: Values) -> bool:
    """Return whether careful rounders can follow every part, and the ReLU has work to do."""
    return bool(
        rounds_well(v.scores)
        and is_spread(v.first_sum)
        and is_spread(v.second_sum)
        and v.hidden.min() < 0 < v.hidden.max()
    )


SCORES = scaled_scores(
    "scores",
    "The scaled scores of {word}",
    x,
    reader("X"),
    *scale_mistakes(scores_of(x, reader("X")), width_of("X")),
    axes=("tokens",),
    name=r"\frac{x \cdot x_1}{\sqrt{d_k}}",
    how="Take the dot product of the word’s row and each row of $X$; divide by $\\sqrt{d_k}$.",
    nudge="Here $Q = K = V = X$. The word’s own row is its query, and every row is a key.",
    formula=r"s_j = \frac{x \cdot x_j}{\sqrt{d_k}}",
    seconds=20,
)

WEIGHTS = softmax(
    "weights",
    "The attention weights of {word}",
    reader("scores"),
    axes=("tokens",),
    how="Apply the softmax to the scores.",
)

ATTENDED = product(
    "attended",
    "The output of attention for {word}",
    reader("weights"),
    reader("X"),
    *blend_mistakes(reader("weights"), reader("X")),
    unweighted_sum(reader("X")),
    axes=("places",),
    name="z_1",
    how="Multiply each row of $X$ by its weight and add up.",
    nudge="The rows of $X$ are the values too. Blend them with the weights you’ve found.",
    formula=r"z = \sum_j a_j\, x_j",
    seconds=12,
)

FIRST_SUM = residual(
    "first_sum",
    "After the first residual",
    x,
    reader("attended"),
    name="x_1 + z_1",
    how="Add the word’s own row of $X$.",
    nudge="The output of attention doesn’t replace its input. So what do you add?",
    formula=r"r = x + z",
)

FIRST_NORM = norm(
    "first_norm",
    "After the first norm",
    reader("first_sum"),
    norm_before_add(x, reader("attended")),
)

# Its zeros would be filled in after the ReLU, and nobody could forget it.
HIDDEN = layer(
    "hidden",
    "The hidden layer before the ReLU, $yW_1 + b_1$",
    reader("first_norm"),
    1,
    Mistake(
        "norm_skipped",
        lambda way, v: way.layer(v.first_sum, v.W_1, v.b_1),
        "You used the sum before the norm. The feed-forward layer reads the normalised row.",
    ),
    activated_early(reader("first_norm")),
    name="(yW_1 + b_1)_1",
    how="Multiply the normalised row by each column of $W_1$ and add the bias.",
    nudge="Stop before the ReLU, and don’t set anything to 0 yet.",
    formula=r"h = yW_1 + b_1",
)

FED = layer_after_relu("fed", "The output of the feed-forward layer", reader("hidden"))

SECOND_SUM = residual(
    "second_sum",
    "After the second residual",
    reader("first_norm"),
    reader("fed"),
    Mistake(
        "other_residual",
        lambda way, v: way.round(x(v) + v.fed),
        "You added the row of $X$. The second residual adds the row after the first norm.",
    ),
    name="y_1 + f_1",
    how="Add the input of the feed-forward layer, the row after the first norm.",
    nudge="Every sublayer has its own residual. What’s the input of this one?",
    formula=r"r' = y + f",
)

OUTPUT = norm(
    "output",
    "The output of the block",
    reader("second_sum"),
    norm_before_add(reader("first_norm"), reader("fed")),
    name="o_1",
)

FAMILY = Family(
    key="encoder_block",
    title="An encoder block",
    summary="One word through a whole block. A slip doesn’t cost you later steps.",
    part="block",
    options={"tokens": (2, 3)},
    draw=draw,
    fit=every_part_can_be_followed,
    statement=(
        "“{tokens}” goes through an encoder block: attention with $Q = K = V = X$ and its scores "
        "divided by $\\sqrt{d_k}$, add and norm, feed-forward with ReLU, and add and norm again. "
        "Follow the word **{word}**. (In both norms $\\gamma = 1$, $\\beta = 0$, "
        "$\\varepsilon = 0$.)"
    ),
    givens=(
        Given("X", "$X$, the words", ("tokens", "places")),
        Given("W_1", "$W_1$", ("places", "places")),
        Given("b_1", "$b_1$", ("places",)),
        Given("W_2", "$W_2$", ("places", "places")),
        Given("b_2", "$b_2$", ("places",)),
        Given("word", "The word asked for", text="{word}"),
        Given("d_k", "$d_k$, the width of a key", value=lambda v: D_MODEL),
        *PLAIN_NORM,
    ),
    version=3,
    code="""
x = X[asked]
scores = X @ x / np.sqrt(len(x))
weights = softmax(scores)
attended = weights @ X
first_sum = x + attended
first_norm = layer_norm(first_sum)
hidden = first_norm @ W_1 + b_1
fed = np.maximum(hidden, 0) @ W_2 + b_2
second_sum = first_norm + fed
output = layer_norm(second_sum)
""",
    steps=(SCORES, WEIGHTS, ATTENDED, FIRST_SUM, FIRST_NORM, HIDDEN, FED, SECOND_SUM, OUTPUT),
)
