"""Mistakes that are found are kept where marking names them, so that enough draws are fit."""

from attention_core.formulas import read
from attention_core.proving import prove_family

STANDARDISED = """sizes: n = 5, 4
x: tenths(n, low=0, high=9)
keep var(x) >= 0.5
mu = mean(x)
variance = var(x)
z = (x - mu) / sqrt(variance)"""


def keys(family, step, sizes):
    [proof] = prove_family(family, [1], sizes)
    values = proof.problem.values
    return {known.key for known in family.step(step).mistakes if known.when(values)}


def test_a_mistake_whose_rounding_marking_misses_in_most_draws_is_off():
    family = read(STANDARDISED, "standardised")
    # It divides sums of some ten by the root, and 0.001 of that is out of tolerance.
    assert "added" not in keys(family, "z", {})
    assert {"unscaled", "wrong_way_round"} <= keys(family, "z", {})
    for sizes in family.combinations():
        proofs = prove_family(family, range(10), sizes)
        assert sum(proof.draws for proof in proofs) <= 40


def test_a_mistake_that_its_author_lists_stays():
    family = read(f"{STANDARDISED}\n    mistakes: added, unscaled", "standardised")
    assert keys(family, "z", {}) == {"added", "unscaled"}


def test_a_mistake_that_leaves_only_zeros_to_a_later_step_is_off():
    # The deviations from a mean add up to 0.
    text = "x, y: tenths(4)\nkeep abs(c) >= 1\nc = sum((x - mean(x)) * (y - mean(y)))"
    assert "no_factor" in keys(read(text, "last"), "c", {})
    assert "no_factor" not in keys(read(f"{text}\nhalf = c / 2", "earlier"), "c", {})
