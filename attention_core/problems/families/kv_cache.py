"""One more word with a KV cache: only its own row of attention is computed."""

import numpy as np

from attention_core.maths.arrays import Array
from attention_core.problems.drawing import Stream
from attention_core.problems.family import Drawn, Family, Given, Mistake, Options, Values
from attention_core.problems.inputs import reader, rounds_well, width_of
from attention_core.problems.mistakes import (
    blend_mistakes,
    mixed_keys,
    scale_mistakes,
    unweighted_sum,
)
from attention_core.problems.rounding import Way
from attention_core.problems.steps import product, scaled_scores, scores_of, softmax


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
        words={"tokens": sentence, "cached": sentence[:-1], "new": sentence[-1:]},
    )


def extended(cache: Array, new: Array) -> Array:
    """Return the cache with the new row below: (..., T, d) and (..., d) give (..., T + 1, d)."""
    return np.concatenate([cache, new[..., None, :]], axis=-2)


def all_keys(v: Values) -> Array:
    return extended(v.K, v.k)


def all_values(v: Values) -> Array:
    return extended(v.V, v.v)


def blind_to_itself(way: Way, v: Values) -> Array:
    earlier = way.softmax(v.scores[..., :-1])
    return np.concatenate([earlier, np.zeros_like(v.scores[..., -1:])], axis=-1)


SCORES = scaled_scores(
    "scores",
    "The scaled scores of {new}",
    reader("q"),
    all_keys,
    *scale_mistakes(scores_of(reader("q"), all_keys), width_of("k")),
    Mistake(
        "key_for_query",
        lambda way, v: way.scale(np.matvec(all_keys(v), v.k), v.k.shape[-1]),
        "You multiplied the keys by the new word’s key; use its query.",
    ),
    axes=("tokens",),
    name=r"\frac{q \cdot k_1}{\sqrt{d_k}}",
    how="Put $k$ below the cached keys, multiply $q$ by each, and divide by $\\sqrt{d_k}$.",
    nudge="The new word looks at itself too, so its own key joins the cached ones.",
    formula=r"s_j = \frac{q \cdot k_j}{\sqrt{d_k}}",
)

WEIGHTS = softmax(
    "weights",
    "The attention weights of {new}",
    reader("scores"),
    Mistake(
        "mask_self",
        blind_to_itself,
        "You hid the new word from itself; its own score belongs in the softmax.",
    ),
    axes=("tokens",),
    how="Apply the softmax to the scores. You don’t need a mask: no word comes later.",
)

OUTPUT = product(
    "output",
    "The output of {new}",
    reader("weights"),
    all_values,
    mixed_keys(reader("weights"), all_keys),
    Mistake(
        "cache_alone",
        lambda way, v: way.mix(v.weights[..., :-1], v.V),
        "You left out the new word’s own value; weight it and add it too.",
    ),
    *blend_mistakes(reader("weights"), all_values),
    unweighted_sum(all_values),
    axes=("places",),
    name="z_1",
    how="Put $v$ below the cached values, and blend them all by the weights.",
    nudge="The new word’s own value joins the cached ones.",
    formula=r"z = \sum_j a_j\, v_j",
)

FAMILY = Family(
    key="kv_cache",
    title="Attention with a cache",
    summary="A new word brings its own query; the others’ keys and values are cached.",
    part="whole",
    options={"cached": (2, 3), "width": (2, 3, 4)},
    draw=draw,
    fit=lambda v: rounds_well(v.scores),
    statement=(
        "A model has read “{cached}” and kept the keys and values. Now it reads **{new}**, with "
        "the query $q$, the key $k$ and the value $v$. Find its scaled scores with every word so "
        "far, itself included. Then find its attention weights and its output."
    ),
    givens=(
        Given("K", "The cached keys", ("cached", "places")),
        Given("V", "The cached values", ("cached", "places")),
        Given("q", "$q$, the query of {new}", ("places",)),
        Given("k", "$k$, the key of {new}", ("places",)),
        Given("v", "$v$, the value of {new}", ("places",)),
        Given("new", "The new word", text="{new}"),
    ),
    version=3,
    code="""
keys, values = np.vstack([K, k]), np.vstack([V, v])
scores = keys @ q / np.sqrt(len(k))
weights = softmax(scores)
output = weights @ values
""",
    steps=(SCORES, WEIGHTS, OUTPUT),
)
