"""The slowest texts that the bounds of the language allow, and what a preview does with one."""

import numpy as np

from attention_core.catalogue import draw_unproved
from attention_core.formulas import sketch
from attention_core.problems.family import Problem
from attention_core.problems.rounding import EXACT


def preview(text: str, key: str = "largest") -> Problem:
    """Return a variant, not proven, with all that a preview shows of it computed."""
    family = sketch(text, key)
    problem = draw_unproved(family, family.combinations()[-1], "preview", 0)
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


def steps(*formulas: str) -> str:
    """Return the lines of steps with these formulas."""
    return "\n".join(f"s{n} = {formula}" for n, formula in enumerate(formulas))


def summed(term: str, count: int) -> str:
    """Return a sum of one term again and again, which is as deep as it's long."""
    return " + ".join([term] * count)


GIVENS = (
    "Q, K, V: tenths(a, b)\nW: tenths(b, c)\nW_2: tenths(c, b)\nx, y, mu: tenths(b)\n"
    "s, t: choice(2, 3, 5)\nw: shares(a)\nB: tenths(b)\n"
)
ONE = f"sizes: a = 4; b = 4; c = 4\n{GIVENS}"
EIGHT = f"sizes: a = 2, 4; b = 2, 4; c = 2, 4\n{GIVENS}"
MANY = f"sizes: a = 2, 4, 6; b = 2, 4; c = 2, 4; d = 2, 4\n{GIVENS}"
ATTENTION = "softmax(Q @ K.T / sqrt(b)) @ V"
OWN = "\n".join(f'o{n}: s{n % 6} = {ATTENTION} + V * {n} : "No."' for n in range(15))

# Each is filled up to a bound: on its parts, its depth, its names, or its combinations of sizes.
FULLEST = {
    "attention": EIGHT + steps(*[ATTENTION] * 12),
    "attention at one size": ONE + steps(*[f"{ATTENTION} + x"] * 10),
    "masks": ONE + steps(*["softmax(mask(Q @ K.T / sqrt(b), tril(a))) @ V"] * 9),
    "heads": ONE + steps(
        *["concat(split(Q, 2, 0) @ split(K, 2, 0).T, split(V, 2, 1))"] * 7
    ),
    "products": ONE + steps(*[summed("Q @ W @ W_2", 3)] * 7),
    "norms": EIGHT + steps(*["layer_norm(x + y) * mu + B"] * 12),
    "z-scores": EIGHT + steps(*["(x - mean(x)) / sqrt(var(x) + s)"] * 10),
    "a chain": ONE + "s0 = x + y\n" + "\n".join(
        f"s{n} = layer_norm(s{n - 1} + mu * s) * x" for n in range(1, 12)
    ),
    "distances": ONE + steps(*["norm(x - y) / (norm(x) * norm(y))"] * 12),
    "a long sum": ONE + steps(summed("x * y", 30)),
    "many softmaxes": ONE + steps(summed("softmax(x)", 36)),
    "deep calls": ONE + steps(*["relu(" * 36 + "x" + ")" * 36] * 3),
    "24 combinations": MANY + steps(*["softmax(Q @ K.T) @ V"] * 6, *["relu(Q @ W) @ W_2"] * 2),
    "own mistakes": ONE + steps(*[ATTENTION] * 6) + "\n" + OWN,
    "conditions": ONE + "\n".join(["keep sum(x * y) > 0"] * 25) + "\n" + steps(*[ATTENTION] * 12),
    "no draw is kept": ONE + "keep sum(x * y) > 1000\n" + steps(*[ATTENTION] * 12),
    "large arrays": "".join(f"{name}: tenths(14, 14)\n" for name in "ABCDE") + steps(
        *["softmax(A @ B.T / sqrt(14)) @ C"] * 12
    ),
    "names": "\n".join(f"{one}, {one}_1: tenths(5, 6)" for one in "abcdefghijklmnop") + "\n"
    + steps(*["a + b_1 * c - e_1 + d"] * 12),
}  # fmt: skip
