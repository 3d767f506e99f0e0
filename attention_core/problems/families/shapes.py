"""The shapes inside multi-head attention, as rows and columns."""

import numpy as np

from attention_core.maths.arrays import Array
from attention_core.problems.drawing import Stream
from attention_core.problems.family import Drawn, Family, Given, Mistake, Options, Step, Values
from attention_core.problems.inputs import Read
from attention_core.problems.latex import number

# No number of tokens is a width too, and no width of values one of keys, so that every shape shows
# its parts: widths of keys are multiples of 8, of values odd multiples of 4.
TOKENS = [T for T in range(5, 100) if T % 4]
HEADS = (2, 3, 4, 6, 8)
KEY_WIDTHS = range(8, 129, 8)
VALUE_WIDTHS = range(12, 125, 8)


def draw(stream: Stream, sizes: Options) -> Drawn:
    heads, d_k = stream.choice(HEADS), stream.choice(KEY_WIDTHS)
    return Drawn(
        numbers={
            "T": np.array(stream.choice(TOKENS)),
            "d_model": np.array(heads * d_k),
            "h": np.array(heads),
            "d_v": np.array(stream.choice(VALUE_WIDTHS)),
        },
        words={"sides": ("rows", "columns")},
    )


def tokens(v: Values) -> Array:
    return v.T


def d_model(v: Values) -> Array:
    return v.d_model


def d_k(v: Values) -> Array:
    return v.d_model / v.h


def d_v(v: Values) -> Array:
    return v.d_v


def d_v_of_all_heads(v: Values) -> Array:
    return v.h * v.d_v


def slip(key: str, rows: Read, columns: Read, feedback: str) -> Mistake:
    return Mistake(key, lambda way, v: np.stack([rows(v), columns(v)], axis=-1), feedback)


def shape(
    key: str,
    label: str,
    rows: Read,
    columns: Read,
    how: str,
    *mistakes: Mistake,
    nudge: str,
    formula: str,
) -> Step:
    return Step(
        key=key,
        label=label,
        axes=("sides",),
        compute=lambda way, v: np.stack([rows(v), columns(v)], axis=-1),
        how=how,
        worked=lambda v: rf"{number(rows(v))} \times {number(columns(v))}",
        mistakes=mistakes,
        nudge=nudge,
        formula=formula,
        decimals=0,
        seconds=7,
    )


ROWS_FIRST = "You swapped the two. Rows come first, one for each token."

QUERIES = shape(
    "queries",
    "The queries $Q$ of one head",
    tokens,
    d_k,
    "There’s a row for each token. The heads share the width, so $d_k = d_{\\text{model}} / h$.",
    slip(
        "head_width",
        tokens,
        d_model,
        "You gave one head the whole width. It only gets its share, $d_{\\text{model}} / h$.",
    ),
    slip(
        "value_width", tokens, d_v, "You used the width of the values. Queries are as wide as keys."
    ),
    slip("transposed", d_k, tokens, ROWS_FIRST),
    nudge="The heads share the width of the model. How much is left for one?",
    formula=r"Q: \; T \times d_k, \qquad d_k = \frac{d_{\text{model}}}{h}",
)

SCORES = shape(
    "scores",
    "The scores $QK^\\top$ of one head",
    tokens,
    tokens,
    "Every token meets every token: a row for each query, a column for each key.",
    slip("feature_gram", d_k, d_k, "You compared dimensions. Scores compare tokens with tokens."),
    slip(
        "not_transposed",
        tokens,
        d_k,
        "You gave the shape of $Q$. $K^\\top$ has a *column* for each token, so the scores do too.",
    ),
    slip(
        "not_squared",
        tokens,
        lambda v: np.ones_like(v.T),
        "You gave one score for each token. Every token meets every token.",
    ),
    nudge="How many queries meet how many keys?",
    formula=r"QK^\top: \; (T \times d_k)\,(d_k \times T) = T \times T",
)

OUTPUT = shape(
    "output",
    "The output $AV$ of one head",
    tokens,
    d_v,
    "There’s a row for each token, as wide as the values.",
    slip(
        "key_width",
        tokens,
        d_k,
        "You used the width of the keys. The output is as wide as the *values*.",
    ),
    slip(
        "model_width",
        tokens,
        d_model,
        "You used the width of the model. One head’s output is as wide as its values.",
    ),
    slip(
        "score_shape",
        tokens,
        tokens,
        "You gave the shape of $A$. Multiplying by $V$ gives the width of the values.",
    ),
    slip("transposed", d_v, tokens, ROWS_FIRST),
    nudge="The inner sides of a product cancel out. Which two are left?",
    formula=r"AV: \; (T \times T)\,(T \times d_v) = T \times d_v",
)

TOGETHER = shape(
    "together",
    "All heads’ outputs side by side, before $W_O$",
    tokens,
    d_v_of_all_heads,
    "The rows stay, and the widths add up to $h \\cdot d_v$.",
    slip(
        "heads_averaged",
        tokens,
        d_v,
        "You gave the width of one head. The heads are concatenated, so their widths add up.",
    ),
    slip(
        "model_width",
        tokens,
        d_model,
        "You gave the model’s width. It doesn’t come back until after $W_O$.",
    ),
    slip(
        "heads_stacked",
        lambda v: v.h * v.T,
        d_v,
        "You put the heads one below the other. They go side by side.",
    ),
    nudge="The heads go side by side. Do the rows grow, or the columns?",
    formula=r"[\,Z_1 \dots Z_h\,]: \; T \times h\, d_v",
)

FAMILY = Family(
    key="shapes",
    title="Shapes in multi-head attention",
    summary="How many rows and columns queries, scores and outputs have.",
    part="heads",
    options={},
    draw=draw,
    statement=(
        "A layer reads {T} tokens, each a vector of width {d_model}. Its {h} heads share that "
        "width for their queries and keys. Each head’s values are {d_v} wide. Give each shape as "
        "rows and columns."
    ),
    givens=(
        Given("T", "$T$, the number of tokens"),
        Given("d_model", "$d_{\\text{model}}$, the width of the model"),
        Given("h", "$h$, the number of heads"),
        Given("d_v", "$d_v$, the width of one head’s values"),
    ),
    code="""
queries = T, d_model // h
scores = T, T
output = T, d_v
together = T, h * d_v
""",
    steps=(QUERIES, SCORES, OUTPUT, TOGETHER),
)
