"""Mistakes that are found are kept where marking names them, so that enough draws are fit."""

import pytest

from attention_core.formulas import FormulaError, read
from attention_core.proving import prove_many

STANDARDISED = """sizes: n = 5, 4
x: tenths(n, low=0, high=9)
keep var(x) >= 0.5
mu = mean(x)
variance = var(x)
z = (x - mu) / sqrt(variance)"""


def keys(family, step, sizes):
    [proof] = prove_many(family, [1], sizes)
    values = proof.problem.values
    return {known.key for known in family.step(step).mistakes if known.when(values)}


def test_a_mistake_whose_rounding_marking_misses_in_most_draws_is_off():
    family = read(STANDARDISED, "standardised")
    # It divides sums of some ten by the root, and 0.001 of that is out of tolerance.
    assert "added" not in keys(family, "z", {})
    assert {"unscaled", "wrong_way_round"} <= keys(family, "z", {})
    for sizes in family.combinations():
        proofs = prove_many(family, range(10), sizes)
        assert sum(proof.draws for proof in proofs) <= 40


def test_a_mistake_that_its_author_lists_stays():
    family = read(f"{STANDARDISED}\n    mistakes: added, unscaled", "standardised")
    assert keys(family, "z", {}) == {"added", "unscaled"}


def test_a_mistake_that_leaves_only_zeros_to_a_later_step_is_off():
    # The deviations from a mean add up to 0.
    text = "x, y: tenths(4)\nkeep abs(c) >= 1\nc = sum((x - mean(x)) * (y - mean(y)))"
    assert "no_factor" in keys(read(text, "last"), "c", {})
    assert "no_factor" not in keys(read(f"{text}\nhalf = c / 2", "earlier"), "c", {})


def test_of_two_that_are_the_same_the_author_s_own_is_named():
    text = "sizes: n = 3\nx, y: tenths(n)\ntotal = x + y"
    assert "subtracted" in keys(read(text, "found"), "total", {})
    own = read(f'{text}\nless: total = x - y : "Nothing is taken away here."', "own")
    known = keys(own, "total", {})
    assert "less" in known
    assert "subtracted" not in known


def test_the_mistakes_that_marking_goes_by_stay():
    text = "x: tenths(3)\nkeep max(abs(x)) <= 4\nw = softmax(x)\n    "
    assert {"uniform", "hard_max"} <= keys(read(f"{text}mistakes: unnormalised", "w"), "w", {})
    with pytest.raises(FormulaError, match="uniform can’t be left out"):
        read(f"{text}without: uniform", "w")


def test_numbers_too_long_to_type_are_refused_with_what_to_do():
    with pytest.raises(FormulaError, match="divide by 1000") as refused:
        read("n: integers(3, low=1000, high=9000)\nsquare = n * n", "large")
    assert refused.value.line == 2
    read("n: integers(3, low=1000, high=9000)\nsquare = n * n / 1000000", "in_millions")
    read("n: integers(3, low=1000, high=9000)\nsquare = n * n\n    decimals: 0", "whole")
