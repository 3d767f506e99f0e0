"""One more word with a KV cache: only its own row of attention is computed."""

import numpy as np

from attention_core.maths.softmax import Array
from attention_core.problems.drawing import Stream
from attention_core.problems.family import Drawn, Family, Given, Mistake, Options, Step, Values
from attention_core.problems.mistakes import (
    base_two,
    hard_max,
    multiplied_scale,
    no_exponential,
    scaled_by_dk,
    unnormalised,
    unscaled,
)
from attention_core.problems.ways import Way
from attention_core.problems.worked import dot_product, fraction, softmax_cell, sum_of_products


def draw(stream: Stream, sizes: Options) -> Drawn:
    cached, width = sizes["cached"], sizes["width"]
    sentence = stream.sentence(cached + 1)
    return Drawn(
        numbers={
            "K": stream.tenths(cached, width),
            "V": stream.tenths(cached, width),
            "q": stream.tenths(width),
            "k": stream.tenths(width),
            "v": stream.tenths(width),
        },
        words={
            "tokens": sentence,
            "cached": sentence[:-1],
            "new": sentence[-1:],
        },
    )


def extended(cache: Array, new: Array) -> Array:
    """The cache with the new word's row below: (..., T, d) and (..., d) give (..., T + 1, d)."""
    return np.concatenate([cache, new[..., None, :]], axis=-2)


def width_of_key(v: Values) -> Array:
    return np.full(v.k.shape[:-1], float(v.k.shape[-1]))


def raw_scores(v: Values) -> Array:
    return np.asarray(np.matvec(extended(v.K, v.k), v.q))


def scores_of(v: Values) -> Array:
    return v.scores


def scaled(way: Way, v: Values, raw: Array) -> Array:
    return way.divide(way.keep(raw), way.root(width_of_key(v)))


def scores(way: Way, v: Values) -> Array:
    return scaled(way, v, raw_scores(v))


def asked_with_key(way: Way, v: Values) -> Array:
    return scaled(way, v, np.matvec(extended(v.K, v.k), v.k))


def weights(way: Way, v: Values) -> Array:
    return way.softmax(v.scores)


def blind_to_itself(way: Way, v: Values) -> Array:
    earlier = way.softmax(v.scores[..., :-1])
    return np.concatenate([earlier, np.zeros_like(v.scores[..., -1:])], axis=-1)


def output(way: Way, v: Values) -> Array:
    return way.mix(v.weights, extended(v.V, v.v))


def keys_mixed(way: Way, v: Values) -> Array:
    return way.mix(v.weights, extended(v.K, v.k))


def cache_alone(way: Way, v: Values) -> Array:
    return way.mix(v.weights[..., :-1], v.V)


def plain_average(way: Way, v: Values) -> Array:
    return way.keep(extended(v.V, v.v).mean(axis=-2))


def scores_stay_small(v: Values) -> bool:
    """Beyond these, rounding the exponentials strays too far."""
    return bool(np.abs(v.scores).max() <= 4 and v.scores.max() >= 0)


def worked_score(v: Values) -> str:
    products, below = sum_of_products(v.q, v.K[0]), rf"\sqrt{{{v.k.shape[-1]}}}"
    return fraction(r"\frac{q \cdot k_1}{\sqrt{d_k}}", products, below, v.scores[0])


def worked_output(v: Values) -> str:
    return dot_product("z_1", v.weights, extended(v.V, v.v)[:, 0], v.output[0])


FAMILY = Family(
    key="kv_cache",
    title="Attention with a cache",
    summary="A new word asks with its own query; the keys and values of the others are kept.",
    options={"cached": (2, 3), "width": (2, 3, 4)},
    draw=draw,
    fit=scores_stay_small,
    statement=(
        "A model has read “{cached}” and kept the keys and values. Now it reads **{new}**, whose "
        "query, key and value are $q$, $k$ and $v$. Find the scaled scores of {new} with every "
        "word so far, itself included, then its attention weights and its output."
    ),
    givens=(
        Given("K", "The cached keys", ("cached", "places")),
        Given("V", "The cached values", ("cached", "places")),
        Given("q", "$q$, the query of {new}", ("places",)),
        Given("k", "$k$, the key of {new}", ("places",)),
        Given("v", "$v$, the value of {new}", ("places",)),
    ),
    steps=(
        Step(
            key="scores",
            label="The scaled scores of {new}",
            axes=("tokens",),
            compute=scores,
            how="Put $k$ below the cached keys, multiply $q$ by each, divide by $\\sqrt{d_k}$.",
            worked=worked_score,
            seconds=18,
            mistakes=(
                unscaled(raw_scores),
                scaled_by_dk(raw_scores, width_of_key),
                multiplied_scale(raw_scores, width_of_key),
                Mistake(
                    "key_for_query",
                    asked_with_key,
                    "A word asks with its query; you multiplied its key by the keys.",
                ),
            ),
        ),
        Step(
            key="weights",
            label="The attention weights of {new}",
            axes=("tokens",),
            compute=weights,
            how="Apply the softmax to the scores. No mask is needed: all the words are past.",
            worked=lambda v: softmax_cell("a_1", v.scores, 0, v.weights[0]),
            seconds=18,
            mistakes=(
                no_exponential(scores_of),
                unnormalised(scores_of),
                base_two(scores_of),
                hard_max(scores_of),
                Mistake(
                    "mask_self",
                    blind_to_itself,
                    "A word may look at itself: its own score takes part in the softmax.",
                ),
            ),
        ),
        Step(
            key="output",
            label="The output of {new}",
            axes=("places",),
            compute=output,
            how="Put $v$ below the cached values and blend them all by the weights.",
            worked=worked_output,
            seconds=18,
            mistakes=(
                Mistake(
                    "mixed_keys",
                    keys_mixed,
                    "The *values* are what is mixed; you mixed the keys.",
                ),
                Mistake(
                    "cache_alone",
                    cache_alone,
                    "The new word’s own value takes part too, by its weight.",
                ),
                Mistake(
                    "uniform",
                    plain_average,
                    "This is the plain average: weigh the values by the attention you found.",
                ),
            ),
        ),
    ),
)
