"""The slowest texts that the bounds of the language allow, and what a preview does with one."""

import numpy as np

from attention_core.catalogue import draw_unproved
from attention_core.formulas import sketch
from attention_core.problems.family import Problem
from attention_core.problems.rounding import EXACT


def preview(text: str, key: str = "largest") -> Problem:
    """Return a variant, not proven, with all that a preview shows of it computed."""
    family = sketch(text, key)
    problem = draw_unproved(family, family.canonical({}), "preview", 0)
    with np.errstate(all="ignore"):
        values = problem.values
        for step in family.steps:
            for known in step.mistakes:
                if np.any(known.when(values)):
                    known.compute(EXACT, values)
            shape = values[step.key].shape
            rows, columns = (1, 1, *shape)[-2:]
            step.worked(values)
            if step.cell:
                step.cell(values, rows - 1, columns - 1)
    return problem


def steps(formulas: list[str]) -> str:
    return "\n".join(f"s{n} = {formula}" for n, formula in enumerate(formulas))


def summed(term: str, count: int) -> str:
    return " + ".join([term] * count)


SIZES_24 = "sizes: a = 2, 4, 6; b = 2, 4; c = 2, 4; d = 2, 4\n"
GIVENS = (
    "Q, K, V: tenths(a, b)\nW: tenths(b, c)\nW_2: tenths(c, b)\nx, y, mu: tenths(b)\n"
    "s, t: choice(2, 3, 5)\nw: shares(a)\nB: tenths(b)\n"
)
ONE = "sizes: a = 4; b = 4; c = 4; d = 4\n"

# By name; each is filled up to the bound on its work.
TERMS = {
    "softmaxes": "softmax(Q @ K.T / sqrt(b)) @ V",
    "products": "Q @ W @ W_2",
    "norms": "layer_norm(x + y) * mu + B",
    "sums": "(x - mean(x)) / sqrt(var(y)) * sum(x * y)",
    "distances": "norm(x - y) / (norm(x) * norm(y))",
    "scalars": "s * t / (s + t)",
    "matrices": "relu(Q @ W) @ W_2 + x",
    "heads": "concat(softmax(split(Q, 2, 0) @ split(K, 2, 0).T) @ split(V, 2, 0), split(V, 2, 1))",
}
