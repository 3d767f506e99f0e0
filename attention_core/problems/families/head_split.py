"""Cutting the queries into heads: the width of each, and the queries of one."""

import numpy as np

from attention_core.maths.arrays import Array
from attention_core.problems.drawing import Stream
from attention_core.problems.family import Drawn, Family, Given, Mistake, Options, Step, Values
from attention_core.problems.latex import fraction, number
from attention_core.problems.rounding import select_row, transpose
from attention_core.problems.steps import count


def draw(stream: Stream, sizes: Options) -> Drawn:
    tokens, heads = sizes["tokens"], sizes["heads"]
    asked = stream.below(heads)
    return Drawn(
        numbers={
            "Q": stream.tenths(tokens, heads * sizes["head_width"]),
            "asked": np.eye(heads)[asked],  # 1 at the head asked for; as long as there are heads
        },
        words={
            "tokens": stream.sentence(tokens),
            "heads": (str(heads),),
            "d_model": (str(heads * sizes["head_width"]),),
            "head": (str(asked + 1),),
        },
    )


def split(v: Values) -> Array:
    """Return Q cut into heads side by side: (..., T, h, d_k)."""
    return v.Q.reshape(*v.Q.shape[:-1], v.asked.shape[-1], -1)


def interleaved_heads(v: Values) -> Array:
    """Return Q's columns dealt out to the heads in turn, like cards: (..., T, h, d_k)."""
    return transpose(v.Q.reshape(*v.Q.shape[:-1], -1, v.asked.shape[-1]))


def each_row(which: Array) -> Array:
    """Return the same choice of a head for every word: (..., h) gives (..., 1, h)."""
    return which[..., None, :]


def whole_number(v: Values, value: float) -> Array:
    return np.full(v.Q.shape[:-2], float(value))


def worked_width(v: Values) -> str:
    d_model, heads = v.Q.shape[-1], v.asked.shape[-1]
    return fraction(r"\frac{d_{\text{model}}}{h}", str(d_model), str(heads), v.head_width)


def worked_head(v: Values) -> str:
    first = int(v.asked.argmax() * v.head_width) + 1
    last = first + v.head.shape[-1] - 1
    cells = " & ".join(number(x) for x in v.head[0])
    return rf"Q_{{1,\,{first} … {last}}} = \begin{{pmatrix}} {cells} \end{{pmatrix}}"


HEAD_WIDTH = count(
    "head_width",
    "$d_k$, the width of a head",
    lambda way, v: whole_number(v, v.Q.shape[-1] // v.asked.shape[-1]),
    worked_width,
    Mistake(
        "head_width",
        lambda way, v: whole_number(v, v.Q.shape[-1]),
        "You gave each head the whole width. It only gets $d_{\\text{model}} / h$.",
    ),
    Mistake(
        "multiplied_heads",
        lambda way, v: whole_number(v, v.Q.shape[-1] * v.asked.shape[-1]),
        "You multiplied by the number of heads. They share the width, so divide by $h$.",
    ),
    how="Divide the width of the model by the number of heads.",
    nudge="The heads share the width; they don’t each get all of it.",
    formula=r"d_k = \frac{d_{\text{model}}}{h}",
    seconds=10,
)

HEAD = Step(
    key="head",
    label="The queries of head {head}",
    axes=("tokens", "places"),
    compute=lambda way, v: select_row(each_row(v.asked), split(v)),
    how="From left to right, each head takes the next $d_k$ columns of every row.",
    nudge="Every head keeps all the rows. Which columns are its own?",
    formula=r"Q_i = Q_{\,:,\;(i-1)d_k + 1 \,\dots\, i d_k}",
    worked=worked_head,
    seconds=5,
    mistakes=(
        Mistake(
            "off_by_one",
            lambda way, v: select_row(each_row(np.roll(v.asked, 1, axis=-1)), split(v)),
            "You took a neighbouring head’s columns; count heads from 1, starting on the left.",
        ),
        Mistake(
            "dealt_out",
            lambda way, v: select_row(each_row(v.asked), interleaved_heads(v)),
            "You dealt the columns out in turn; a head’s columns are side by side.",
        ),
    ),
)

FAMILY = Family(
    key="head_split",
    title="Splitting into heads",
    summary="Heads share the width of the model: each gets its own block of columns.",
    part="heads",
    options={"tokens": (2, 3), "heads": (2, 3), "head_width": (2, 3)},
    draw=draw,
    statement=(
        "The queries of “{tokens}” are $d_{\\text{model}} = {d_model}$ wide. They’re split, from "
        "left to right, into {heads} heads. How wide is a head, and what are the queries of "
        "head {head}? (Count the heads from 1.)"
    ),
    givens=(
        Given("Q", "$Q$, the queries", ("tokens", "places")),
        Given("d_model", "$d_{\\text{model}}$, the width of the model", text="{d_model}"),
        Given("heads", "$h$, the number of heads", text="{heads}"),
        Given("head_asked", "The head to find", text="{head}"),
    ),
    code="""
head_width = Q.shape[-1] // {heads}
head = Q[:, asked * head_width : (asked + 1) * head_width]
""",
    steps=(HEAD_WIDTH, HEAD),
)
