"""One word, two sentences, two outputs: attention mixes in the words around it."""

import numpy as np

from attention_core.maths.arrays import Array
from attention_core.problems.drawing import Stream
from attention_core.problems.family import Drawn, Family, Given, Mistake, Options, Step, Values
from attention_core.problems.inputs import reader, width_of
from attention_core.problems.latex import fraction, number, softmax_cell, sum_of_products
from attention_core.problems.meanings import NAME_NOTE, draw_near
from attention_core.problems.mistakes import (
    NOT_BY_DK,
    base_two,
    equal_weights,
    hard_blend,
    hard_max,
    no_exponential,
    uniform_blend,
    unweighted_sum,
)
from attention_core.problems.rounding import EXACT, Way
from attention_core.problems.steps import product

# A word of two senses, the senses, and for either a context of two words and one of three.
CONTEXTS = (
    (
        ("bank", ("water", "money")),
        {2: ("river bank", "bank loan"), 3: ("the river bank", "my bank closed")},
    ),
    (
        ("mouse", ("animal", "tech")),
        {2: ("hungry mouse", "wireless mouse"), 3: ("the grey mouse", "this mouse clicks")},
    ),
    (
        ("bat", ("animal", "sport")),
        {2: ("bat flies", "cricket bat"), 3: ("a furry bat", "swing the bat")},
    ),
    (
        ("spring", ("metal", "season")),
        {2: ("steel spring", "spring rain"), 3: ("the spring broke", "late spring snow")},
    ),
    (
        ("letter", ("post", "alphabet")),
        {2: ("love letter", "capital letter"), 3: ("post this letter", "a silent letter")},
    ),
    (
        ("key", ("lock", "music")),
        {2: ("door key", "piano key"), 3: ("the rusty key", "a minor key")},
    ),
    (
        ("crane", ("bird", "machine")),
        {2: ("crane nests", "harbour crane"), 3: ("a crane nests", "the crane lifts")},
    ),
    (
        ("seal", ("animal", "wax")),
        {2: ("grey seal", "unbroken seal"), 3: ("a seal dived", "break the seal")},
    ),
    (
        ("wave", ("greeting", "sea")),
        {2: ("wave goodbye", "tidal wave"), 3: ("they wave goodbye", "a wave broke")},
    ),
    (
        ("match", ("sport", "fire")),
        {2: ("tennis match", "match burns"), 3: ("our match ended", "strike a match")},
    ),
    (
        ("ring", ("jewel", "sound")),
        {2: ("gold ring", "phones ring"), 3: ("a silver ring", "the bells ring")},
    ),
    (
        ("watch", ("sight", "time")),
        {2: ("watch films", "pocket watch"), 3: ("we watch birds", "his watch stopped")},
    ),
)
# Words that serve grammar and lean to neither sense.
GRAMMAR = frozenset(("a", "his", "my", "our", "the", "they", "this", "we"))
# Where words lie: by the first sense, by the second, and by how much they serve grammar alone.
# Farther out, exponentials are so large that rounding hides mistakes.
BOTH_SENSES = (0.6, 0.6, 0)
FIRST_SENSE = (0.8, -0.4, 0)
SECOND_SENSE = (-0.4, 0.8, 0)
NO_SENSE = (0, 0, 0.6)
LEAN = 0.1  # the least that a context moves the word


def draw(stream: Stream, sizes: Options) -> Drawn:
    """Draw a word that fits both senses, and two contexts whose other words fit one each."""
    tokens, width = sizes["tokens"], sizes["width"]
    (word, senses), contexts = stream.choice(CONTEXTS)
    first, second = (tuple(context.split()) for context in contexts[tokens])
    x = draw_near(stream, BOTH_SENSES[:width])

    def vector(other: str, sense: tuple[float, ...]) -> Array:
        if other == word:
            return x
        return draw_near(stream, (NO_SENSE if other in GRAMMAR else sense)[:width])

    return Drawn(
        numbers={
            "x": x,
            "X_first": np.stack([vector(other, FIRST_SENSE) for other in first]),
            "X_second": np.stack([vector(other, SECOND_SENSE) for other in second]),
        },
        words={
            "word": (word,),
            "first": first,
            "second": second,
            "dimensions": (*senses, "grammar")[:width],
        },
    )


def each_context_settles_the_sense(v: Values) -> bool:
    """Return whether each output leans more to its neighbours' sense than the word alone does.

    Also, no other word may have its vector: the word finds itself by that.
    """

    def lean(vector: Array) -> float:
        return float(vector[0] - vector[1])

    both = np.stack([v.X_first, v.X_second])
    return bool(
        lean(v.output_first) - LEAN >= lean(v.x) >= lean(v.output_second) + LEAN
        and ((both == v.x).all(axis=-1).sum(axis=-1) == 1).all()
    )


def steps_in(context: str, *more: Mistake) -> tuple[Step, ...]:
    """Return the steps of one context, `first` or `second`: the word's weights and its output."""
    X, weights = reader(f"X_{context}"), reader(f"weights_{context}")
    d_k = width_of("x")

    def scores(v: Values) -> Array:
        return EXACT.dot(X(v), v.x[..., None, :])

    def scaled(way: Way, v: Values) -> Array:
        return way.scale(scores(v), d_k(v))

    def without_itself(way: Way, v: Values) -> Array:
        itself = (X(v) == v.x[..., None, :]).all(axis=-1)
        return way.softmax(np.where(itself, -np.inf, scaled(way, v)))

    def looks_elsewhere_most(v: Values) -> np.ndarray:
        itself = (X(v) == v.x[..., None, :]).all(axis=-1)
        return np.asarray(scores(v).argmax(axis=-1) != itself.argmax(axis=-1))

    def cell(v: Values, row: int, column: int) -> str:
        return softmax_cell(scaled(EXACT, v), column, weights(v)[column])

    def worked(v: Values) -> str:
        exact = scaled(EXACT, v)
        below = rf"\sqrt{{{number(d_k(v))}}}"
        score = fraction("s_1", sum_of_products(v.x, X(v)[0]), below, exact[0])
        return rf"{score},\quad a_1 = {cell(v, 0, 0)}"

    return (
        Step(
            key=f"weights_{context}",
            label=f"The attention weights of {{word}} in “{{{context}}}”",
            axes=(context,),
            compute=lambda way, v: way.softmax(scaled(way, v)),
            how=(
                "Score the word against every word, itself too. Divide by $\\sqrt{d_k}$, then "
                "apply the softmax."
            ),
            nudge="The word’s own vector is its query, and every word of this context is a key.",
            formula=(
                r"s_j = \frac{x \cdot x_j}{\sqrt{d_k}}, \qquad "
                r"a_j = \frac{e^{s_j}}{\sum_m e^{s_m}}"
            ),
            worked=worked,
            cell=cell,
            seconds=35,
            # No multiplied_scale: where scaling is no step of its own, rounding hides its large
            # exponentials.
            mistakes=(
                Mistake(
                    "unscaled",
                    lambda way, v: way.softmax(scores(v)),
                    "You didn’t scale. Divide the scores by $\\sqrt{d_k}$ before the softmax.",
                ),
                Mistake(
                    "scaled_by_dk",
                    lambda way, v: way.softmax(way.divide(scores(v), d_k(v))),
                    NOT_BY_DK,
                ),
                no_exponential(scores),  # The scale does not matter: the factor cancels.
                Mistake(
                    "unnormalised",
                    lambda way, v: way.round(np.exp(scaled(way, v))),
                    "You stopped at the exponentials. Divide each by their sum.",
                ),
                # At d = 2 it looks like scaled_by_dk.
                base_two(lambda v: scaled(EXACT, v), when=lambda v: v.x.shape[-1] != 2),
                hard_max(scores),
                equal_weights(scores),
                Mistake(
                    "mask_self",
                    without_itself,
                    "You left the word’s own score out. It may look at itself too.",
                    # With two words, one would be left, which looks like hard_max.
                    when=lambda v: X(v).shape[-2] > 2,
                ),
            ),
        ),
        product(
            f"output_{context}",
            f"The output of {{word}} in “{{{context}}}”",
            weights,
            X,
            uniform_blend(weights, X),
            unweighted_sum(X),
            # Where the word looks at itself most, this is its own vector, unmixed.
            hard_blend(weights, X, when=looks_elsewhere_most),
            Mistake(
                "unmixed",
                lambda way, v: v.x,
                "You gave the word’s own vector, and that’s the same everywhere. Blend in the "
                "words around it by their weights.",
            ),
            *more,
            axes=("dimensions",),
            name="z_1",
            how="Blend the vectors of all the words by these weights.",
            nudge="The words of this context are the values. How much of each goes in?",
            formula=r"z = \sum_j a_j\, x_j",
        ),
    )


FAMILY = Family(
    key="two_contexts",
    title="One word in two contexts",
    summary="The same embedding goes in twice, and two different outputs come out.",
    part="attention",
    options={"tokens": (3, 2), "width": (2, 3)},
    draw=draw,
    fit=each_context_settles_the_sense,
    statement=(
        "The word **{word}** is in “{first}” and in “{second}”, with the same embedding $x$. "
        f"{NAME_NOTE} "
        "Use the embeddings as queries, keys and values ($Q = K = V = X$). For each context, find "
        "the attention weights of **{word}**, with scores divided by $\\sqrt{d_k}$, and its output."
    ),
    givens=(
        Given("X_first", "$X$ of “{first}”", ("first", "dimensions")),
        Given("X_second", "$X$ of “{second}”", ("second", "dimensions")),
        Given("word", "The word asked for", text="{word}"),
    ),
    version=3,
    code="""
weights_first = softmax(X_first @ x / np.sqrt(len(x)))
output_first = weights_first @ X_first

weights_second = softmax(X_second @ x / np.sqrt(len(x)))
output_second = weights_second @ X_second
""",
    steps=(
        *steps_in("first"),
        *steps_in(
            "second",
            Mistake(
                "same_output",
                lambda way, v: v.output_first,
                "You gave the output in the first context. The words are different here, so it "
                "can’t be the same.",
            ),
        ),
    ),
)
