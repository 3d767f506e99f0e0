"""Solutions of families from texts, against NumPy written by hand for each."""

import numpy as np

from attention_core.formulas import read
from attention_core.problems.drawing import open_stream
from tests.each import each

VARIANTS = 1_000


def softmax(scores):
    powers = np.exp(scores)
    return powers / powers.sum(axis=1)[:, None]


def attention(v):
    scores = np.einsum("id,jd->ij", v["Q"], v["K"]) / 3**0.5
    weights = softmax(scores)
    return {"scores": scores, "weights": weights, "output": np.einsum("ij,jd->id", weights, v["V"])}


def causal(v):
    tokens = len(v["S"])
    weights = np.zeros((tokens, tokens))
    for row in range(tokens):
        powers = np.exp(v["S"][row, : row + 1])
        weights[row, : row + 1] = powers / powers.sum()
    return {"weights": weights, "output": np.stack([weights[i] @ v["V"] for i in range(tokens)])}


def add_and_norm(v):
    added = v["x"] + v["y"]
    normed = [(row - sum(row) / 4) / (sum((row - sum(row) / 4) ** 2) / 4) ** 0.5 for row in added]
    return {"added": added, "normed": np.array(normed)}


def cosine(v):
    product = sum(a * b for a, b in zip(v["a"], v["b"], strict=True))
    lengths = (v["a"] ** 2).sum() ** 0.5, (v["b"] ** 2).sum() ** 0.5
    return {"product": product, "cosine": product / lengths[0] / lengths[1]}


def statistics(v):
    mean = sum(v["x"]) / 5
    variance = sum((each - mean) ** 2 for each in v["x"]) / 5
    return {
        "mean_of": mean,
        "variance": variance,
        "spread": variance**0.5,
        "range_of": sorted(v["x"])[-1] - sorted(v["x"])[0],
        "above": float(sum(each > mean for each in v["x"])),
    }


TEXTS = [
    (attention, """sizes: T = 3; d_k = 3
Q, K: tenths(T, d_k)
V: tenths(T, 2)
scores = Q @ K.T / sqrt(d_k)
weights = softmax(scores)
output = weights @ V"""),
    (causal, """sizes: T = 4
S: scores(T)
V: hundredths(T, 3)
weights = softmax(mask(S, tril(T)))
output = weights @ V"""),
    (add_and_norm, """x, y: tenths(3, 4)
added = x + y
normed = layer_norm(added)"""),
    (cosine, """a, b: tenths(6)
product = dot(a, b)
cosine = product / (norm(a) * norm(b))"""),
    (statistics, """x: integers(5, low=-9)
mean_of = mean(x)
variance = var(x)
spread = sqrt(variance)
range_of = max(x) - min(x)
above = sum(x > mean_of)"""),
]  # fmt: skip


@each("by_hand, text", TEXTS)
def test_solutions_are_those_of_plain_numpy(by_hand, text):
    family = read(text, by_hand.__name__)
    sizes = family.canonical({})
    drawn = [
        family.draw(open_stream(family.key, 1, sizes, str(seed), 0), sizes).numbers
        for seed in range(VARIANTS)
    ]
    together = {name: np.stack([each[name] for each in drawn]) for name in drawn[0]}
    with np.errstate(all="ignore"):
        solved = family.solve(together)
        expected = [by_hand(givens) for givens in drawn]
    for step in family.steps:
        right = np.stack([each[step.key] for each in expected])
        np.testing.assert_allclose(solved[step.key], right, 1e-9, 1e-9, step.key)
