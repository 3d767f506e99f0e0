"""Grouped-query attention: several query heads share a key head, and the cache shrinks."""

import numpy as np

from attention_core.maths.softmax import Array
from attention_core.problems.drawing import Stream
from attention_core.problems.family import Drawn, Family, Given, Mistake, Options, Step, Values
from attention_core.problems.ways import Way
from attention_core.problems.worked import number

HEAD_WIDTHS = (8, 16, 32, 64, 128)
LENGTHS = (50, 100, 200, 500, 1000)


def draw(stream: Stream, sizes: Options) -> Drawn:
    heads = sizes["query_heads"]
    return Drawn(
        numbers={
            "query_head": np.arange(1.0, heads + 1),
            "key_heads": np.array(
                stream.choice([n for n in range(2, heads // 2 + 1) if heads % n == 0])
            ),
            "d_k": np.array(stream.choice(HEAD_WIDTHS)),
            "tokens": np.array(stream.choice(LENGTHS)),
        },
        words={
            "heads": (str(heads),),
            "query_heads": tuple(f"query head {n}" for n in range(1, heads + 1)),
        },
    )


def heads(v: Values) -> int:
    return int(v.query_head.shape[-1])


def group_size(v: Values) -> Array:
    """How many query heads share a key head."""
    return np.asarray(heads(v) / v.key_heads)


def served_in_groups(v: Values, size: Array) -> Array:
    return np.ceil(v.query_head / size[..., None])


def serves(way: Way, v: Values) -> Array:
    return served_in_groups(v, group_size(v))


def dealt_out(way: Way, v: Values) -> Array:
    return (v.query_head - 1) % v.key_heads[..., None] + 1


def own_key_head(way: Way, v: Values) -> Array:
    return v.query_head


def counted_from_zero(way: Way, v: Values) -> Array:
    return serves(way, v) - 1


def groups_of_key_heads(way: Way, v: Values) -> Array:
    return served_in_groups(v, v.key_heads)


def cache(way: Way, v: Values) -> Array:
    return 2 * v.key_heads * v.d_k * v.tokens


def keys_alone(way: Way, v: Values) -> Array:
    return v.key_heads * v.d_k * v.tokens


def every_query_head(way: Way, v: Values) -> Array:
    return 2 * heads(v) * v.d_k * v.tokens


def queries_too(way: Way, v: Values) -> Array:
    return cache(way, v) + heads(v) * v.d_k * v.tokens


def one_token(way: Way, v: Values) -> Array:
    return 2 * v.key_heads * v.d_k


def groups_differ(v: Values) -> np.ndarray:
    return np.asarray(group_size(v) != v.key_heads)


def groups_are_larger_than_two(v: Values) -> np.ndarray:
    """In groups of two, keys, values and queries are as many as all heads' keys and values."""
    return np.asarray(group_size(v) > 2)


def worked_serves(v: Values) -> str:
    return rf"\frac{{h}}{{g}} = \frac{{{heads(v)}}}{{{number(v.key_heads)}}} = " + number(
        group_size(v)
    )


def worked_cache(v: Values) -> str:
    parts = (v.key_heads, v.d_k, v.tokens)
    return r"2 \cdot " + r" \cdot ".join(number(n) for n in parts) + f" = {number(v.cache)}"


FAMILY = Family(
    key="grouped_query",
    title="Grouped queries",
    summary="Which key head serves which query head, and what the cache then holds.",
    options={"query_heads": (6, 4, 8)},
    draw=draw,
    statement=(
        "A layer has {heads} query heads but only {key_heads} key heads, each with its keys and "
        "values, and each $d_k = {d_k}$ wide. Neighbouring query heads share a key head, in "
        "groups of the same size. Which key head serves each query head (counted from 1), and "
        "how many numbers does the cache of this layer hold after {tokens} tokens?"
    ),
    givens=(
        Given("key_heads", "$g$, the number of key heads"),
        Given("d_k", "$d_k$, the width of a key and of a value"),
        Given("tokens", "Tokens read"),
    ),
    steps=(
        Step(
            key="serves",
            label="The key head that serves each query head",
            axes=("query_heads",),
            compute=serves,
            how="Split the query heads into as many groups of neighbours as there are key heads.",
            worked=worked_serves,
            seconds=5,
            decimals=0,
            mistakes=(
                Mistake(
                    "dealt_out",
                    dealt_out,
                    "*Neighbouring* query heads share a key head; you dealt them out in turn.",
                ),
                Mistake(
                    "no_sharing",
                    own_key_head,
                    "There are fewer key heads than query heads: they are shared.",
                ),
                Mistake(
                    "off_by_one",
                    counted_from_zero,
                    "Count the key heads from 1.",
                ),
                Mistake(
                    "group_size",
                    groups_of_key_heads,
                    "The number of key heads is that of the groups, not the size of a group.",
                    when=groups_differ,
                ),
            ),
        ),
        Step(
            key="cache",
            label="Numbers in the cache",
            axes=(),
            compute=cache,
            how="A key and a value for every key head and every token.",
            worked=worked_cache,
            seconds=30,
            decimals=0,
            mistakes=(
                Mistake(
                    "keys_alone",
                    keys_alone,
                    "The cache holds the values as well as the keys.",
                ),
                Mistake(
                    "no_sharing",
                    every_query_head,
                    "Only the key heads are cached; you counted every query head.",
                ),
                Mistake(
                    "queries_cached",
                    queries_too,
                    "Queries are not kept: a token’s query is used once.",
                    when=groups_are_larger_than_two,
                ),
                Mistake(
                    "one_token",
                    one_token,
                    "This is what one token adds; count all the tokens read.",
                ),
            ),
        ),
    ),
)
