"""One word, two sentences, two outputs: attention mixes in what stands around it."""

import numpy as np

from attention_core.maths.softmax import Array
from attention_core.problems.drawing import Stream
from attention_core.problems.family import Drawn, Family, Given, Mistake, Options, Step, Values
from attention_core.problems.mistakes import equal_weights, one_hot_largest
from attention_core.problems.ways import EXACT, Way
from attention_core.problems.worked import dot_product, fraction, softmax_cell, sum_of_products

# A word of several meanings, with two words and with three in either context.
CONTEXTS = (
    ("bank", {2: ("river bank", "bank loan"), 3: ("the river bank", "my bank closed")}),
    ("mouse", {2: ("hungry mouse", "wireless mouse"), 3: ("the grey mouse", "this mouse clicks")}),
    ("bat", {2: ("bat flies", "cricket bat"), 3: ("a bat flew", "swing the bat")}),
    ("spring", {2: ("steel spring", "spring rain"), 3: ("the spring broke", "late spring snow")}),
    (
        "letter",
        {2: ("love letter", "capital letter"), 3: ("post this letter", "one letter missing")},
    ),
    ("key", {2: ("door key", "piano key"), 3: ("the key turned", "press any key")}),
    ("light", {2: ("light meal", "street light"), 3: ("a light meal", "the light blinked")}),
    ("seal", {2: ("grey seal", "wax seal"), 3: ("a seal dived", "break the seal")}),
    ("wave", {2: ("wave goodbye", "tidal wave"), 3: ("they wave goodbye", "a wave broke")}),
    ("match", {2: ("tennis match", "match burns"), 3: ("our match ended", "strike a match")}),
    ("ring", {2: ("gold ring", "phones ring"), 3: ("a silver ring", "the bells ring")}),
    ("watch", {2: ("watch films", "pocket watch"), 3: ("we watch birds", "his watch stopped")}),
)


def draw(stream: Stream, sizes: Options) -> Drawn:
    tokens, width = sizes["tokens"], sizes["width"]
    word, contexts = stream.choice(CONTEXTS)
    first, second = (tuple(context.split()) for context in contexts[tokens])
    x = stream.tenths(width, low=-1, high=1)
    X_first, X_second = (stream.tenths(tokens, width, low=-1, high=1) for _ in "12")
    X_first[first.index(word)] = X_second[second.index(word)] = x
    return Drawn(
        numbers={"x": x, "X_first": X_first, "X_second": X_second},
        words={"word": (word,), "first": first, "second": second},
    )


def width(v: Values) -> Array:
    return np.full(v.x.shape[:-1], float(v.x.shape[-1]))


def no_other_word_has_its_vector(v: Values) -> bool:
    both = np.stack([v.X_first, v.X_second])
    return bool(((both == v.x).all(axis=-1).sum(axis=-1) == 1).all())


def weights_in(context: str) -> Step:
    """The word's row of the attention matrix in one context, `first` or `second`."""

    def vectors(v: Values) -> Array:
        return v["X_" + context]

    def scores(way: Way, v: Values) -> Array:
        return way.dot(vectors(v), v.x[..., None, :])

    def scaled(way: Way, v: Values) -> Array:
        return way.divide(scores(way, v), way.root(width(v)))

    def without_itself(way: Way, v: Values) -> Array:
        itself = (vectors(v) == v.x[..., None, :]).all(axis=-1)
        return way.softmax(np.where(itself, -np.inf, scaled(way, v)))

    def by_root_of_words(way: Way, v: Values) -> Array:
        words = np.full(v.x.shape[:-1], float(vectors(v).shape[-2]))
        return way.softmax(way.divide(scores(way, v), way.root(words)))

    def worked(v: Values) -> str:
        products = sum_of_products(v.x, vectors(v)[0])
        exact = scaled(EXACT, v)
        score = fraction("s_1", products, rf"\sqrt{{{v.x.shape[-1]}}}", exact[0])
        return rf"{score},\quad {softmax_cell('a_1', exact, 0, v['weights_' + context][0])}"

    return Step(
        key="weights_" + context,
        label=f"The attention weights of {{word}} in “{{{context}}}”",
        axes=(context,),
        compute=lambda way, v: way.softmax(scaled(way, v)),
        how="Score the word against every word, itself too; divide by $\\sqrt{d_k}$; softmax.",
        worked=worked,
        seconds=35,
        mistakes=(
            Mistake(
                "unscaled",
                lambda way, v: way.softmax(scores(way, v)),
                "Divide the scores by $\\sqrt{d_k}$ before the softmax.",
            ),
            Mistake(
                "scaled_by_dk",
                lambda way, v: way.softmax(way.divide(scores(way, v), width(v))),
                "Divide by $\\sqrt{d_k}$, not by $d_k$ itself.",
            ),
            Mistake(
                "scaled_by_wrong_width",
                by_root_of_words,
                "You divided by the root of the number of words; $d_k$ is the width of a key.",
                # Two weights alone hardly tell the roots of 2 and of 3 apart.
                when=lambda v: vectors(v).shape[-2] > v.x.shape[-1],
            ),
            Mistake(
                "no_exponential",
                # Scaled or not: the factor cancels.
                lambda way, v: way.normalise(scores(way, v)),
                "Take the exponential of each score first, then divide by the sum.",
            ),
            Mistake(
                "unnormalised",
                lambda way, v: way.keep(np.exp(scaled(way, v))),
                "These are the exponentials; divide each by their sum.",
            ),
            # No base_two and no multiplied_scale: where scaling is no step of its own, the one
            # looks like scaled_by_dk, and rounding hides the other’s large exponentials.
            Mistake(
                "hard_max",
                lambda way, v: one_hot_largest(scores(way, v)),
                "Attention blends; it does not choose. The largest score does not get all.",
            ),
            equal_weights(lambda v: vectors(v)[..., 0]),
            Mistake(
                "mask_self",
                without_itself,
                "A word may look at itself too; you left its own score out.",
                # Of two words one would be left, and look like hard_max.
                when=lambda v: vectors(v).shape[-2] > 2,
            ),
        ),
    )


def output_in(context: str) -> Step:
    """What the word becomes in one context."""

    def vectors(v: Values) -> Array:
        return v["X_" + context]

    def weights(v: Values) -> Array:
        return v["weights_" + context]

    same_output = Mistake(
        "same_output",
        lambda way, v: v.output_first,
        "This is the output in the first context. Other words, another output.",
    )
    return Step(
        key="output_" + context,
        label=f"The output of {{word}} in “{{{context}}}”",
        axes=("places",),
        compute=lambda way, v: way.mix(weights(v), vectors(v)),
        how="Blend the vectors of all the words by these weights.",
        worked=lambda v: dot_product(
            "z_1", weights(v), vectors(v)[:, 0], v["output_" + context][0]
        ),
        seconds=18,
        mistakes=(
            Mistake(
                "uniform",
                lambda way, v: way.keep(vectors(v).mean(axis=-2)),
                "This is the plain average: weigh the vectors by the attention you found.",
            ),
            Mistake(
                "unmixed",
                lambda way, v: v.x,
                "This is the word’s own vector, the same in every context. "
                "Blend in the words around it by their weights.",
            ),
            *((same_output,) if context == "second" else ()),
        ),
    )


FAMILY = Family(
    key="two_contexts",
    title="One word in two contexts",
    summary="The same embedding goes in twice, and two different outputs come out.",
    options={"tokens": (3, 2), "width": (2, 3)},
    draw=draw,
    fit=no_other_word_has_its_vector,
    statement=(
        "The word **{word}** stands in “{first}” and in “{second}”, with the same embedding $x$. "
        "Take the embeddings as queries, keys and values alike ($Q = K = V = X$). Find the "
        "attention weights of **{word}**, scaled by $\\sqrt{d_k}$, and its output in each."
    ),
    givens=(
        Given("X_first", "$X$ of “{first}”", ("first", "places")),
        Given("X_second", "$X$ of “{second}”", ("second", "places")),
    ),
    steps=(weights_in("first"), output_in("first"), weights_in("second"), output_in("second")),
)
