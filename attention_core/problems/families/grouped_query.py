"""Grouped-query attention: several query heads share a key head, and the cache shrinks."""

import numpy as np

from attention_core.maths.arrays import Array
from attention_core.problems.drawing import Stream
from attention_core.problems.family import Drawn, Family, Given, Mistake, Options, Step, Values
from attention_core.problems.latex import equals, number
from attention_core.problems.rounding import Way
from attention_core.problems.steps import count

HEAD_WIDTHS = range(16, 257, 8)
LENGTHS = range(50, 10_001, 10)


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
    """Return how many query heads share a key head."""
    return np.asarray(heads(v) / v.key_heads)


def served_in_groups(v: Values, size: Array) -> Array:
    return np.ceil(v.query_head / size[..., None])


def serves(way: Way, v: Values) -> Array:
    return served_in_groups(v, group_size(v))


def cache(way: Way, v: Values) -> Array:
    return 2 * v.key_heads * v.d_k * v.tokens


def groups_differ(v: Values) -> np.ndarray:
    return np.asarray(group_size(v) != v.key_heads)


def groups_are_larger_than_two(v: Values) -> np.ndarray:
    """Return whether groups exceed two: in twos, K, V and Q count as much as all heads' K and V."""
    return np.asarray(group_size(v) > 2)


def worked_cache(v: Values) -> str:
    parts = (v.key_heads, v.d_k, v.tokens)
    return r"2 \cdot " + r" \cdot ".join(number(n) for n in parts) + f" {equals(v.cache)}"


SERVES = Step(
    key="serves",
    label="The key head that serves each query head",
    axes=("query_heads",),
    compute=serves,
    how="Split the query heads into as many groups of neighbours as there are key heads.",
    nudge="How many query heads share one key head?",
    formula=r"\mathrm{key}(i) = \left\lceil \frac{i}{h / g} \right\rceil",
    worked=lambda v: (
        rf"\frac{{h}}{{g}} = \frac{{{heads(v)}}}{{{number(v.key_heads)}}} = "
        + number(group_size(v))
    ),
    seconds=5,
    decimals=0,
    mistakes=(
        Mistake(
            "dealt_out",
            lambda way, v: (v.query_head - 1) % v.key_heads[..., None] + 1,
            "You dealt the query heads out in turn. *Neighbouring* query heads share a key head.",
        ),
        Mistake(
            "no_sharing",
            lambda way, v: v.query_head,
            "You gave each query head its own key head. There are fewer, so they’re shared.",
        ),
        Mistake(
            "off_by_one",
            lambda way, v: serves(way, v) - 1,
            "You counted the key heads from 0. Count them from 1.",
        ),
        Mistake(
            "group_size",
            lambda way, v: served_in_groups(v, v.key_heads),
            "You took the number of key heads for the size of a group. It’s the number of groups.",
            when=groups_differ,
        ),
    ),
)

CACHE = count(
    "cache",
    "Numbers in the cache",
    cache,
    worked_cache,
    Mistake(
        "keys_alone",
        lambda way, v: v.key_heads * v.d_k * v.tokens,
        "You counted only the keys. The cache holds the values too.",
    ),
    Mistake(
        "no_sharing",
        lambda way, v: 2 * heads(v) * v.d_k * v.tokens,
        "You counted every query head. Only the key heads are cached.",
    ),
    Mistake(
        "queries_cached",
        lambda way, v: cache(way, v) + heads(v) * v.d_k * v.tokens,
        "You counted the queries too. They aren’t kept: each is used only once.",
        when=groups_are_larger_than_two,
    ),
    Mistake(
        "one_token",
        lambda way, v: 2 * v.key_heads * v.d_k,
        "You counted one token. Count all the tokens read.",
    ),
    how="Count a key and a value for every key head and every token.",
    nudge="Queries aren’t kept. What does each key head keep for each token?",
    formula=r"2 \cdot g \cdot d_k \cdot T",
    seconds=30,
)

FAMILY = Family(
    key="grouped_query",
    title="Grouped queries",
    summary="Which key head serves which query head, and how much the cache then holds.",
    part="heads",
    options={"query_heads": (6, 4, 8)},
    draw=draw,
    statement=(
        "A layer has {heads} query heads but only {key_heads} key heads, each with its keys and "
        "values. All of these are $d_k = {d_k}$ wide. Neighbouring query heads share a key head, "
        "in groups of the same size. Which key head serves each query head (counted from 1)? "
        "How many numbers does the cache of this layer hold after {tokens} tokens?"
    ),
    givens=(
        Given("heads", "$h$, the number of query heads", text="{heads}"),
        Given("key_heads", "$g$, the number of key heads"),
        Given("d_k", "$d_k$, the width of a key and of a value"),
        Given("tokens", "Tokens read"),
    ),
    code="""
group = len(query_head) / key_heads
serves = np.ceil(query_head / group)
cache = 2 * key_heads * d_k * tokens
""",
    steps=(SERVES, CACHE),
)
