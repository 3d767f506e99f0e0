"""Local attention: a word looks at its neighbours, and at no word further away."""

import numpy as np

from attention_core.maths.arrays import Array
from attention_core.problems.drawing import Stream
from attention_core.problems.family import Drawn, Family, Given, Mistake, Options, Step, Values
from attention_core.problems.inputs import rounds_well
from attention_core.problems.rounding import EXACT, Way, select_row, transpose
from attention_core.problems.steps import softmax

_BACK = {1: "the word before it", 2: "the two words before it"}
_AHEAD = {0: "", 1: " and at the word after it"}


def draw(stream: Stream, sizes: Options) -> Drawn:
    tokens, ahead = sizes["tokens"], sizes["ahead"]
    back = min(sizes["back"], tokens - 2)  # some word always sees less than all
    sentence = stream.sentence(tokens)
    asked = back + stream.below(tokens - back - ahead)  # a word whose window is whole
    return Drawn(
        numbers={
            "scores": stream.scores(tokens),
            "window": np.arange(-back, ahead + 1.0),  # where a word looks, counted from itself
            "asked": np.eye(tokens)[asked],
        },
        words={
            "tokens": sentence,
            "word": (sentence[asked],),
            "reach": (_BACK[back] + _AHEAD[ahead],),
        },
    )


def steps_between(v: Values) -> Array:
    """Return how many words the column's word stands after the row's: (T, T)."""
    places = np.arange(float(v.scores.shape[-1]))
    return places - places[:, None]


def window_mask(v: Values, window: Array) -> Array:
    """Return 1 where a column's word lies in the window of a row's word, else 0."""
    inside = steps_between(v)[..., None] == window[..., None, None, :]
    return np.asarray(inside.any(axis=-1), dtype=np.float64)


def is_causal(v: Values) -> np.ndarray:
    return np.asarray(v.window.max(axis=-1) == 0)


def words_seen(v: Values) -> np.ndarray:
    """Return the row of `sees` asked for, or the right one if it has not one word per weight."""
    row, right = (
        select_row(v.asked, v.sees) == 1,
        select_row(v.asked, window_mask(v, v.window)) == 1,
    )
    fits = row.sum(axis=-1, keepdims=True) == v.window.shape[-1]
    return np.asarray(np.where(fits, row, right))


def scores_seen(v: Values, scores: Array) -> Array:
    """Return from a row of scores those of the words seen, from left to right."""
    seen_first = np.argsort(~words_seen(v), axis=-1, kind="stable")
    seen_first = seen_first[..., : v.window.shape[-1]]
    return np.asarray(np.take_along_axis(scores, seen_first, axis=-1))


def row_seen(v: Values) -> Array:
    return scores_seen(v, select_row(v.asked, v.scores))


def one_too_far(way: Way, v: Values) -> Array:
    outward = v.window + np.sign(v.window)
    return window_mask(v, np.concatenate([v.window, outward], axis=-1))


def any_distance(way: Way, v: Values) -> Array:
    past, causal = steps_between(v) <= 0, is_causal(v)[..., None, None]
    return np.where(causal, past, True).astype(np.float64)


def wide_window_still_ends(v: Values) -> np.ndarray:
    """Return whether a window one word too wide still hides a word, unlike no window."""
    return np.asarray((one_too_far(EXACT, v) != any_distance(EXACT, v)).any(axis=(-2, -1)))


def worked_sees(v: Values) -> str:
    seen = [str(place + 1) for place in np.flatnonzero(select_row(v.asked, v.sees))]
    return rf"\text{{word {int(v.asked.argmax()) + 1} sees words }} {', '.join(seen)}"


SEES = Step(
    key="sees",
    label="Where each word may look: 1 or 0",
    axes=("tokens", "tokens"),
    compute=lambda way, v: window_mask(v, v.window),
    how="Walk down the diagonal: each word sees itself and the others in its window.",
    nudge="Take one row at a time. How far back, and how far ahead, may this word look?",
    formula=r"i - \text{back} \;\le\; j \;\le\; i + \text{ahead}",
    worked=worked_sees,
    seconds=3,
    decimals=0,
    mistakes=(
        Mistake(
            "off_by_one",
            one_too_far,
            "Your window reaches one word too far. Count from the word itself.",
        ),
        Mistake(
            "mask_self",
            lambda way, v: window_mask(v, v.window) - np.eye(v.scores.shape[-1]),
            "You hid each word from itself. It may look at itself, so the diagonal is 1.",
        ),
        Mistake(
            "mask_past",
            lambda way, v: window_mask(v, -v.window),
            "You let words look ahead, not back. Rows look; columns are looked at.",
            when=is_causal,
        ),
        Mistake(
            "causal_ignored",
            lambda way, v: window_mask(v, np.concatenate([v.window, -v.window], axis=-1)),
            "You opened the window to both sides. Words can’t look ahead here.",
            when=is_causal,
        ),
        Mistake(
            "looks_back_only",
            lambda way, v: window_mask(v, np.minimum(v.window, 0)),
            "You only let words look back. Here they may look ahead too.",
            when=lambda v: ~is_causal(v),
        ),
        Mistake(
            "window_ignored",
            any_distance,
            "You let words look past the end of the window. Put 0 there.",
            when=wide_window_still_ends,
        ),
    ),
)

# For one word, and only where it looks: filled-in zeros would give the window away.
WEIGHTS = softmax(
    "weights",
    "The weights of {word} on the words it sees, from left to right",
    row_seen,
    Mistake(
        "mask_after",
        lambda way, v: scores_seen(v, way.softmax(select_row(v.asked, v.scores))),
        "You left the other words in the softmax. Drop them first, so that these weights sum to 1.",
        when=lambda v: v.window.shape[-1] < v.scores.shape[-1],
    ),
    Mistake(
        "score_column",
        lambda way, v: way.softmax(scores_seen(v, select_row(v.asked, transpose(v.scores)))),
        "You took the word’s column. Its scores are in its *row*.",
    ),
    axes=("places",),
    how="Apply the softmax only to the scores of the words it sees.",
    nudge="Words outside the window don’t count, not even in the sum you divide by.",
    formula=r"a_j = \frac{e^{s_j}}{\sum_{m \,\in\, \text{window}} e^{s_m}}",
    seconds=22,
)

FAMILY = Family(
    key="sliding_window",
    title="A sliding window",
    summary="Local attention: mark where each word may look, then find one word’s weights.",
    part="attention",
    options={"tokens": (4, 5, 3), "back": (1, 2), "ahead": (0, 1)},
    draw=draw,
    fit=lambda v: rounds_well(row_seen(v)),
    statement=(
        "In “{tokens}” attention is local. A word may look at itself and at {reach}, as far as "
        "the text goes. Write 1 where the row’s word may look at the column’s word, else 0. Then "
        "find the attention weights of **{word}** from the scaled scores."
    ),
    givens=(
        Given("scores", "Scaled scores", ("tokens", "tokens")),
        Given("back", "How many words back it may look", value=lambda v: -v.window.min()),
        Given("ahead", "How many words ahead it may look", value=lambda v: v.window.max()),
        Given("word", "The word whose weights are asked for", text="{word}"),
    ),
    code="""
place = np.arange(len(scores))
sees = np.isin(place - place[:, None], window).astype(int)
weights = softmax(scores[asked, sees[asked] == 1])
""",
    steps=(SEES, WEIGHTS),
)
