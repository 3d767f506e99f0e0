"""Feedback on mistakes that are found speaks of what the problem is about."""

import re

from attention_core.formulas import read
from tests.each import each

# Problems that have nothing to do with attention.
ELSEWHERE = {
    "z-scores": """
        sizes: n = 5, 4; m = 3
        x, y: tenths(n, low=0, high=9)
        s: tenths(m)
        mu = mean(x)
        variance = var(x)
        z = (x - mu) / sqrt(variance)
        error = sqrt(variance) / sqrt(n)
        spread = s / sqrt(n)
        both = x + y
        ratio = both / sqrt(2)
    """,
    "distances": """
        sizes: n = 3, 4; d = 2
        X, Y: tenths(n, d)
        w: shares(n)
        products = X @ Y.T / sqrt(d)
        centre = w @ X
        share = softmax(X)
        mixed = share @ Y.T
        p = softmax(w)
    """,
    "plain vectors": """
        sizes: n = 3, 4; d_k = 2
        q: tenths(d_k)
        k, v: tenths(n, d_k)
        f: tenths(n, d_k)
        a = k @ q / sqrt(d_k)
        w = softmax(a)
        blend = w @ v
        squares = k @ k.T
        shares = softmax(mask(squares, tril(n)))
        mixed = shares @ v
        total = f + mixed
        y = layer_norm(total)
        shifted = k - f
        twice = q * (q + 1)
    """,
}
OF_ATTENTION = r"attention|token|quer|key|\bscores\b.*before|\*values|residual|sublayer|d_k|word"


def lines(text):
    """Return a problem whose lines were indented in a test."""
    return "\n".join(line.strip() for line in text.strip().splitlines())


def feedback(text):
    family = read(lines(text), "problem")
    return {
        (step.key, known.key): known.feedback for step in family.steps for known in step.mistakes
    }


@each("text", ELSEWHERE.values())
def test_a_problem_of_something_else_never_hears_of_attention(text):
    said = feedback(text)
    assert len(said) > 20
    # A size may have any name.
    plain = {key: each.replace("d_k", "d") for key, each in said.items()}
    assert not {key: each for key, each in plain.items() if re.search(OF_ATTENTION, each)}


def test_a_root_that_is_left_out_is_named():
    said = feedback(ELSEWHERE["z-scores"])
    assert said["z", "unscaled"] == r"You didn’t divide by $\sqrt{\mathrm{variance}}$."
    assert said["ratio", "scaled_by_dk"] == r"You divided by $2$ itself; divide by $\sqrt{2}$."
    assert said["spread", "scaled_by_wrong_width"].startswith("You took the root of $m$; take ")
    # A variance is no number of tokens that one could mix up with another.
    assert ("z", "scaled_by_wrong_width") not in said


def test_how_many_there_are_is_called_as_the_problem_calls_it():
    said = feedback("sizes: d = 4\nx: tenths(d)\nz: tenths(5)\na = var(x)\nb = var(z)")
    assert "divided by $d - 1$" in said["a", "sample_variance"]
    assert "divided by $5 - 1$" in said["b", "sample_variance"]


def test_a_sum_or_a_product_taken_for_another_names_what_was_added():
    said = feedback("x, y: tenths(3)\na = x * y\nb = x + y\nc = x - y\nd = x / y")
    assert said["a", "added"] == "You added $x$ and $y$; multiply them."
    assert said["b", "multiplied"] == "You multiplied $x$ and $y$; add them."
    assert said["b", "subtracted"] == "You subtracted $y$; add it."
    assert said["c", "added"] == "You added $y$; subtract it."


def test_attention_speaks_of_its_queries_keys_and_values():
    said = feedback("""
        sizes: T = 3; d_k = 2
        tokens: sentence(T)
        Q, K, V: tenths(T, d_k)
        scores = Q @ K.T / sqrt(d_k)
        weights = softmax(scores)
        output = weights @ V
    """)
    assert "Each query gets a row" in said["scores", "transposed"]
    assert "before the softmax" in said["scores", "unscaled"]
    assert "one token’s attention" in said["weights", "column_softmax"]
    assert "the *values*" in said["output", "mixed_keys"]


def test_a_softmax_of_columns_speaks_of_columns():
    said = feedback("X: tenths(3, 4)\nS = softmax(X, 0)")
    assert said["S", "column_softmax"] == "You normalised the rows. Each *column* sums to 1."
    assert "one for each column" in said["S", "global_softmax"]
    assert "each column sums to 1" in said["S", "unnormalised"]
