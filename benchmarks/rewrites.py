"""Count the mistakes of the shipped families that rewriting their formulas finds.

Each family's steps are written below as formulas over its givens. A mistake is found if some
rewriting of its step has the same values as the mistake in every variant in which that shows.

    python -m benchmarks.rewrites
"""

import argparse
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from attention_core.catalogue import draw_unproved, families
from attention_core.errors import FormulaError
from attention_core.formulas.compute import compute
from attention_core.formulas.lengths import Length, Shape
from attention_core.formulas.rewriting import Found, find, is_call
from attention_core.formulas.rules import RULES
from attention_core.formulas.shapes import Axis, Scope, infer
from attention_core.formulas.trees import Item, Name, Node, parse, walk
from attention_core.maths.arrays import Array
from attention_core.problems.family import Family, Mistake, Step, Values
from attention_core.problems.rounding import EXACT

DRAWS = 12
NEAR = 1e-9
# The values of a rewriting, by variant.
type Made = list[Array | None]

# Names of givens that hold weights which sum to 1.
WEIGHTS = frozenset({"A", "weights"})

# By family: the givens with their sizes, then a line for each step. After “lacks” stands the
# operation that the language doesn't have.
FORMULAS = {
    "add_and_norm": """X, Z: T d; asked: T
        residual = X[asked] + Z[asked]
        normed = layer_norm(residual)""",
    "add_position": """X: T d; P: n d
        inputs = X + P[:-1]""",
    "attention": """Q, K, V: T d_k
        scores = Q @ K.T
        scaled = scores / sqrt(d_k)
        weights = softmax(scaled)
        output = weights @ V""",
    "attention_matrix": """scores: T T; d_k:
        scaled = scores / sqrt(d_k)
        weights = softmax(scaled)""",
    "causal_attention": """scores, mask: T T
        weights = softmax(mask(scores, mask))""",
    "concat_heads": """Z_1, Z_2: T d_v; W_O: d d
        concatenation = concat(Z_1, Z_2)
        output = concatenation @ W_O""",
    "cosine": """a, b: d
        cosine = dot(a, b) / (norm(a) * norm(b))""",
    "distance": """a, b: d
        distance = norm(a - b)""",
    "dot_score": """q, k: d_k
        score = q @ k
        scaled = score / sqrt(d_k)""",
    "embedding_lookup": """E: n d; ids: T
        vectors lacks rows by their numbers""",
    "encoder_block": """X: T d; asked: T; W_1: d n; b_1: n; W_2: n d; b_2: d
        scores = X[asked] @ X.T / sqrt(d)
        weights = softmax(scores)
        attended = weights @ X
        first_sum = X[asked] + attended
        first_norm = layer_norm(first_sum)
        hidden = first_norm @ W_1 + b_1
        fed = relu(hidden) @ W_2 + b_2
        second_sum = first_norm + fed
        output = layer_norm(second_sum)""",
    "feed_forward": """x: d; W_1: d n; b_1: n; W_2: n d; b_2: d
        before = x @ W_1 + b_1
        out = relu(before) @ W_2 + b_2""",
    "find_the_slip": """q: d_k; K: T d_k; table: n T; slip: n; asked: T
        value = (slip[0] * (K @ q) + slip[1] * (table[0] / sqrt(d_k)) + slip[2] * exp(table[1]) \
+ slip[3] * (table[2] / sum(table[2])))[asked]""",
    "grouped_query": """query_head: h; key_heads:; d_k:; tokens:
        serves lacks rounding up
        cache = 2 * key_heads * d_k * tokens""",
    "head_split": """Q: T d; asked: h
        head_width = d / h
        head lacks a part by its word""",
    "kv_cache": """K, V: n d; q, k, v: d
        scores = q @ stack(K, k).T / sqrt(d)
        weights = softmax(scores)
        output = weights @ stack(V, v)""",
    "multi_head": """X: T d; W_Q1, W_K1, W_V1, W_Q2, W_K2, W_V2: d d_k; W_O: d d
        scores_one = X @ W_Q1 @ (X @ W_K1).T / sqrt(d_k)
        weights_one = softmax(scores_one)
        head_one = weights_one @ (X @ W_V1)
        scores_two = X @ W_Q2 @ (X @ W_K2).T / sqrt(d_k)
        weights_two = softmax(scores_two)
        head_two = weights_two @ (X @ W_V2)
        output = concat(head_one, head_two) @ W_O""",
    "next_token": """x: d; W: d n
        logits = x @ W
        probabilities = softmax(logits)""",
    "parameter_count": """d_model:; h:; N:; V:
        attention = 4 * d_model ** 2
        feed_forward = 2 * 4 * d_model ** 2
        embedding = V * d_model
        model = embedding + N * (attention + feed_forward)""",
    "path_and_cost": """T:
        recurrent_steps = T - 1
        attention_path = 1
        scores = T ** 2""",
    "permutation": """Z: T d; order: T
        moved lacks rows by their numbers""",
    "pre_post_norm": """x: d; W: d d
        normed = layer_norm(x)
        pre = x + normed @ W
        total = x + x @ W
        post = layer_norm(total)""",
    "projection": """X: T d; W_first, W_second: d d_k; asked:
        projected = X @ where(asked == 0, W_first, W_second)""",
    "recover_position": """X, final: T d
        positions = final - X""",
    "rms_norm": """x: d
        rms = sqrt(mean(x ** 2))
        normalised = x / rms""",
    "scale_row": """scores: T; d_k:
        scaled = scores / sqrt(d_k)""",
    "score_matrix": """Q, K: T d_k
        scores = Q @ K.T""",
    "score_variance": """query_variance:; key_variance:; d_k:
        variance = d_k * (query_variance * key_variance)
        deviation = sqrt(variance)
        scaled_variance = variance / d_k""",
    "self_scores": """X: T d
        scores = X @ X.T""",
    "shapes": """T:; d_model:; h:; d_v:
        queries = stack(T, d_model / h)
        scores = stack(T, T)
        output = stack(T, d_v)
        together = stack(T, h * d_v)""",
    "sinusoidal_position": """pos:; places: d
        encoding lacks remainders""",
    "sliding_window": """scores: T T; window: n; asked: T
        sees lacks places as numbers
        weights lacks cells by a condition""",
    "softmax_row": """scores: T
        weights = softmax(scores)""",
    "softmax_saturation": """scores: T; factor:
        before = softmax(scores)
        after = softmax(factor * scores)""",
    "swiglu": """x: d; W, V: d n; W_2: n d
        gate = silu(x @ W)
        hidden = gate * (x @ V)
        out = hidden @ W_2""",
    "temperature": """logits: n; temperature:
        probabilities = softmax(logits / temperature)""",
    "two_contexts": """x: d; X_first, X_second: T d
        weights_first = softmax(X_first @ x / sqrt(d))
        output_first = weights_first @ X_first
        weights_second = softmax(X_second @ x / sqrt(d))
        output_second = weights_second @ X_second""",
    "value_width": """X: T d; W_V: d w; A: T T; longer:
        projected = X @ W_V
        output = A @ projected
        shape = stack(longer, w)""",
    "vector_arithmetic": """a, b, c: d
        result = a - b + c""",
    "weighted_value": """weights: T; V: T d
        output = weights @ V""",
}


class Written(NamedTuple):
    """A family's formulas: the sizes of its givens, its steps, the operations that some lack."""

    givens: dict[str, list[str]]
    trees: dict[str, Node]
    lacking: dict[str, str]


@dataclass
class Count:
    """The mistakes of a family: how many there are, which are found as others, which are missed."""

    by_hand: int = 0
    same_key: int = 0
    tried: int = 0
    other_key: dict[str, str] = field(default_factory=dict)
    missed: dict[str, str] = field(default_factory=dict)


def main() -> None:
    argparse.ArgumentParser(description=__doc__.splitlines()[0]).parse_args()
    print(f"{'family':22}{'by hand':>8}{'same key':>9}{'other key':>10}{'missed':>7}{'tried':>7}")
    total, details = np.zeros(5, int), []
    for key, text in FORMULAS.items():
        found = count(families()[key], read(text))
        row = [found.by_hand, found.same_key, len(found.other_key), len(found.missed), found.tried]
        total += row
        print(f"{key:22}" + "{:8}{:9}{:10}{:7}{:7}".format(*row))
        details += [f"{key}.{it} is found as {as_}" for it, as_ in found.other_key.items()]
        details += [f"{key}.{it} is missed: {why}" for it, why in found.missed.items()]
    print(f"{'all':22}" + "{:8}{:9}{:10}{:7}{:7}".format(*total), *details, sep="\n")


def read(text: str) -> Written:
    """Return a family's formulas, read from its lines."""
    givens, *lines = text.split("\n")
    written = Written({}, {}, {})
    for each in givens.split(";"):
        names, _, sizes = each.partition(":")
        written.givens.update({name.strip(): sizes.split() for name in names.split(",")})
    for line in lines:
        name, sign, rest = line.strip().partition(" = ")
        step, _, operation = name.partition(" lacks ")
        if sign:
            written.trees[name] = parse(rest)
        else:
            written.lacking[step] = operation
    return written


def scope_before(step: str, written: Written, v: Values) -> Scope:
    """Return the names that a step may read, with the shapes that they have in this variant."""
    read_off: dict[str, Axis] = {}
    sizes: dict[str, Length] = {}
    shapes: dict[str, Shape] = {}
    for given, names in written.givens.items():
        shapes[given] = tuple(map(Length, v[given].shape, names))
        for place, name in enumerate(names):
            read_off.setdefault(name, Axis(given, place - len(names)))
            sizes.setdefault(name, Length(v[given].shape[place], name))
    items = [part for tree in written.trees.values() for part in walk(tree)]
    places = [place for part in items if isinstance(part, Item) for place in part.places]
    words = frozenset(place.name for place in places if isinstance(place, Name))
    scope = Scope(shapes, sizes, read_off, words)
    for name, tree in written.trees.items():
        if name == step:
            break
        shapes[name] = infer(tree, scope)
    return scope


def count(family: Family, written: Written) -> Count:
    """Count a family's mistakes, and those that some rewriting makes in every variant."""
    counted = Count(by_hand=sum(len(step.mistakes) for step in family.steps))
    variants = [
        draw_unproved(family, options, str(seed), 0).values
        for options in family.combinations()
        for seed in range(DRAWS)
    ]
    for step in family.steps:
        rewritings = found_in(step, written, variants) if step.key in written.trees else []
        counted.tried += len(rewritings)
        for known in step.mistakes:
            name = f"{step.key}.{known.key}"
            keys = [key for key, made in rewritings if is_made(known, made, variants)]
            if known.key in keys:
                counted.same_key += 1
            elif keys:
                counted.other_key[name] = keys[0]
            else:
                shows = any(np.all(known.when(v)) for v in variants)
                why = "no rule" if shows else "it shows in none of the variants"
                counted.missed[name] = written.lacking.get(step.key, why)
    return counted


def found_in(step: Step, written: Written, variants: list[Values]) -> list[tuple[str, Made]]:
    """Return the key of each rewriting of a step, and its values in every variant.

    Raises:
        ValueError: the formula's values aren't the step's own.
    """
    tree = written.trees[step.key]
    scopes = [scope_before(step.key, written, v) for v in variants]
    right = values(Found("", tree, ""), tree, scopes, variants)
    for v, own in zip(variants, right, strict=True):
        if own is None or not alike(own, v[step.key]):
            raise ValueError(f"This isn’t the formula of {step.key}.")
    earlier = {name: each for name, each in written.trees.items() if name in scopes[0].shapes}
    blended = {name for name, each in earlier.items() if is_call(each, "softmax")}
    found = find(tree, scopes[0], WEIGHTS | blended, RULES, earlier)
    return [(each.key, values(each, tree, scopes, variants)) for each in found]


def values(found: Found, right: Node, scopes: list[Scope], variants: list[Values]) -> Made:
    """Return a rewriting's values in each variant; None where it doesn't fit or doesn't show."""
    made: Made = []
    for scope, v in zip(scopes, variants, strict=True):
        try:
            fits = infer(found.tree, scope) == infer(right, scope)
            shows = not found.condition or compute(found.condition, scope)(EXACT, v) != 0
            made.append(compute(found.tree, scope)(EXACT, v) if fits and shows else None)
        except FormulaError:
            made.append(None)
    return made


def is_made(known: Mistake, made: Made, variants: list[Values]) -> bool:
    """Return whether these are the values of a mistake in every variant in which it shows."""
    shown = [(v, own) for v, own in zip(variants, made, strict=True) if np.all(known.when(v))]
    return bool(shown) and all(
        own is not None and alike(own, known.compute(EXACT, v)) for v, own in shown
    )


def alike(one: Array, other: Array) -> bool:
    """Return whether two arrays are the same but for rounding."""
    same_shape = np.shape(one) == np.shape(other)
    return same_shape and np.allclose(one, other, rtol=NEAR, atol=NEAR, equal_nan=True)


if __name__ == "__main__":
    with np.errstate(all="ignore"):
        main()
