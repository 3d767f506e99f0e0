"""A worked table with one wrong row: find it, and a number that belongs there."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from attention_core.maths.arrays import Array
from attention_core.problems.drawing import Stream
from attention_core.problems.family import Drawn, Family, Given, Mistake, Options, Step, Values
from attention_core.problems.latex import equals, number, sum_of_products
from attention_core.problems.mistakes import KEEP_THE_SIGNS, NOT_BY_DK
from attention_core.problems.rounding import EXACT, Way, select_row
from attention_core.problems.steps import choice

ROWS = ("the scores", "the scaled scores", "the exponentials", "the weights")

# A rule makes a row (..., T) of the table from the query, the keys and the row above.
type Rule = Callable[[Way, Values, Array], Array]

RULES: tuple[Rule, ...] = (
    lambda way, v, above: way.round(np.matvec(v.K, v.q)),
    lambda way, v, above: way.scale(above, v.q.shape[-1]),
    lambda way, v, above: way.round(np.exp(above)),
    lambda way, v, above: way.normalise(above),
)


class Slip(NamedTuple):
    """A wrong rule, and the feedback to a student who follows it."""

    key: str
    rule: Rule
    feedback: str


# Two for each row.
SLIPS = (
    (
        Slip(
            "signs_dropped",
            lambda way, v, above: way.round(np.matvec(np.abs(v.K), np.abs(v.q))),
            KEEP_THE_SIGNS,
        ),
        Slip(
            "sums_multiplied",
            lambda way, v, above: way.round(v.K.sum(axis=-1) * v.q.sum(axis=-1)[..., None]),
            "You multiplied the sums. Multiply dimension by dimension, then add.",
        ),
    ),
    (
        Slip(
            "unscaled",
            lambda way, v, above: above,
            "You gave the score itself. Divide it by $\\sqrt{d_k}$.",
        ),
        Slip("scaled_by_dk", lambda way, v, above: way.round(above / v.q.shape[-1]), NOT_BY_DK),
    ),
    (
        Slip(
            "base_two",
            lambda way, v, above: way.round(np.exp2(above)),
            "You took a power of 2. An exponential is a power of $e = 2.718…$.",
        ),
        Slip(
            "base_ten",
            lambda way, v, above: way.round(10**above),
            "You took a power of 10. An exponential is a power of $e = 2.718…$.",
        ),
    ),
    (
        Slip(
            "over_largest",
            lambda way, v, above: way.divide(above, above.max(axis=-1)),
            "You divided by the largest exponential. Divide by the sum of them all.",
        ),
        Slip(
            "over_count",
            lambda way, v, above: way.round(above / above.shape[-1]),
            "You divided by the number of exponentials. Divide by their sum.",
        ),
    ),
)


def draw(stream: Stream, sizes: Options) -> Drawn:
    tokens, width = sizes["tokens"], sizes["width"]
    sentence = stream.sentence(tokens)
    q, K = stream.tenths(width), stream.tenths(tokens, width)
    slip, asked = stream.below(len(ROWS)), stream.below(tokens)
    table = [np.zeros(tokens)]
    for place, right in enumerate(RULES):
        wrong = stream.choice(SLIPS[place]).rule
        rule = wrong if place == slip else right
        table.append(np.round(rule(EXACT, Values(q=q, K=K), table[-1]), 2))
    return Drawn(
        numbers={
            "q": q,
            "K": K,
            "table": np.array(table[1:]),
            "slip": np.eye(len(ROWS))[slip],
            "asked": np.eye(tokens)[asked],
        },
        words={
            "tokens": sentence,
            "asking": (stream.choice(sentence),),
            "word": (sentence[asked],),
            "rows": ROWS,
        },
    )


def rows_by_rules(way: Way, v: Values, rules: tuple[Rule, ...]) -> Array:
    """Return every row computed by these rules from the printed row above: (..., rows, T)."""
    above = np.roll(v.table, 1, axis=-2)  # nothing reads the row above the first
    rows = [rule(way, v, above[..., place, :]) for place, rule in enumerate(rules)]
    return np.stack(rows, axis=-2)


def cell(v: Values, table: Array, asked: Array) -> Array:
    """Return the table's cell in the wrong row and the column asked for."""
    return select_row(asked, select_row(v.slip, table)[..., None])[..., 0]


def as_printed(way: Way, v: Values) -> Array:
    return cell(v, v.table, v.asked)


def another_slip(place: int, slip: Slip) -> Mistake:
    """Return the mistake of another slip in the same row than the printed one."""
    rules = (*RULES[:place], slip.rule, *RULES[place + 1 :])

    def compute(way: Way, v: Values) -> Array:
        return cell(v, rows_by_rules(way, v, rules), v.asked)

    def is_another(v: Values) -> np.ndarray:
        printed = np.abs(compute(EXACT, v) - as_printed(EXACT, v)) < 0.01
        return np.asarray((v.slip[..., place] == 1) & ~printed)

    return Mistake(slip.key, compute, slip.feedback, when=is_another)


def slip_shows(v: Values) -> bool:
    scaled_row = v.table[1]
    small = np.abs(scaled_row).max() <= 3 and scaled_row.max() >= 0
    return bool(small and abs(v.value - as_printed(EXACT, v)) >= 0.1)


def worked_value(v: Values) -> str:
    place, column = int(v.row), int(v.asked.argmax())
    above = v.table[place - 1]
    written = (
        sum_of_products(v.q, v.K[column]),
        rf"\frac{{{number(above[column])}}}{{\sqrt{{{len(v.q)}}}}}",
        f"e^{{{number(above[column])}}}",
        rf"\frac{{{number(above[column])}}}{{{number(above.sum())}}}",
    )
    return f"{written[place]} {equals(v.value)}"


ROW = choice(
    "row",
    "The wrong row",
    "rows",
    lambda way, v: v.slip.argmax(axis=-1).astype(float),
    lambda v: rf"\text{{{ROWS[int(v.row)]}}}",
    how="Check each row against the one above it: only one doesn’t follow.",
    nudge="Check one row at a time. Take the row above it as it’s printed.",
    formula=(
        r"q \cdot k_j \;\to\; \frac{q \cdot k_j}{\sqrt{d_k}} \;\to\; e^{s_j} \;\to\; "
        r"\frac{e^{s_j}}{\sum_m e^{s_m}}"
    ),
    wrong="This row is right: it follows from the numbers printed above it.",
    seconds=60,
)

# Computed in the right row, whichever was chosen: in another, the printed value would be right.
VALUE = Step(
    key="value",
    label="The right number under {word}",
    axes=(),
    compute=lambda way, v: cell(v, rows_by_rules(way, v, RULES), v.asked),
    how="Compute the cell again from the printed row above.",
    nudge="Use the numbers printed in the row above, not those you’d have got yourself.",
    formula=r"s_j = \frac{q \cdot k_j}{\sqrt{d_k}}, \qquad a_j = \frac{e^{s_j}}{\sum_m e^{s_m}}",
    worked=worked_value,
    seconds=20,
    mistakes=(
        Mistake(
            "kept_slip",
            as_printed,
            "You kept the printed number. It doesn’t follow from the row above.",
        ),
        Mistake(
            "off_by_one",
            lambda way, v: cell(v, rows_by_rules(way, v, RULES), np.roll(v.asked, 1, axis=-1)),
            "You’re in the column of another word. Check which word is asked for.",
        ),
        *(another_slip(place, slip) for place, slips in enumerate(SLIPS) for slip in slips),
    ),
)

FAMILY = Family(
    key="find_the_slip",
    title="Find the slip",
    summary="One row of a worked attention table is wrong: find it and put it right.",
    part="attention",
    options={"tokens": (3, 2, 4), "width": (3, 2, 4)},
    draw=draw,
    fit=slip_shows,
    statement=(
        "Another student worked out how **{asking}** attends to the words of “{tokens}”, and "
        "rounded every row of the table to two decimals. One row is wrong; the rows below it "
        "follow from the printed numbers. Which row is it, and which number belongs in it under "
        "**{word}**? Compute it from the numbers printed above, and give it to three decimals."
    ),
    givens=(
        Given("q", "$q$, the query of {asking}", ("places",)),
        Given("K", "$K$, the keys", ("tokens", "places")),
        Given("table", "The table", ("rows", "tokens")),
        Given("word", "The column asked for", text="{word}"),
    ),
    code="""
rows = [K @ q, table[0] / np.sqrt(len(q)), np.exp(table[1]), table[2] / table[2].sum()]
row = np.abs(rows - table).max(axis=-1).argmax()
value = rows[row][asked]
""",
    steps=(ROW, VALUE),
)
