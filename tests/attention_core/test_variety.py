"""The number of different draws of a family, and the half that is kept for exams."""

import numpy as np
import pytest

from attention_core import draw, family
from attention_core.problems.family import Drawn, Family, Given, Mistake, Step
from attention_core.problems.fingerprint import fingerprint
from attention_core.variety import FEW_DISTINCT, MAX_DISTINCT, Variety, is_kept_for_exams, variety
from tests.attention_core.drawn import every_family

# Families that cannot give ENOUGH different numbers at some sizes, each with the reason why.
TOO_FEW: dict[str, str] = {}


@every_family
def test_every_family_has_enough_numbers(key):
    """Half of them are kept for exams, so that nobody has met these while practising."""
    assert (variety(family(key), {}).distinct >= MAX_DISTINCT) == (key not in TOO_FEW)


@pytest.mark.slow
@every_family
def test_every_family_has_enough_numbers_at_all_its_sizes(key):
    counts = [variety(family(key), sizes).distinct for sizes in family(key).combinations()]
    assert (min(counts) >= MAX_DISTINCT) == (key not in TOO_FEW)


# A family as small as one likes


def whole_numbers(how_many, fit=lambda v: True):
    """Return a family that doubles a whole number below `how_many`."""
    too_much = Mistake("adds", lambda way, v: 2 * v.n + 1, "No.")
    double = Step("double", "", (), lambda way, v: 2 * v.n, "", lambda v: "", (too_much,))
    return Family(
        "whole_numbers",
        "",
        "",
        {"size": (1, 2)},
        lambda stream, sizes: Drawn({"n": np.array(stream.below(how_many) * sizes["size"])}),
        "",
        (Given("n", ""),),
        (double,),
        fit=fit,
    )


def prints(numbers):
    return {fingerprint({"n": n}) for n in numbers}


@pytest.mark.parametrize("how_many", [1, 2, 7, FEW_DISTINCT - 1])
def test_few_numbers_are_all_found(how_many):
    member = whole_numbers(how_many)
    assert variety(member, {}) == Variety(how_many, True, frozenset(prints(range(how_many))))


@pytest.mark.parametrize(
    ("how_many", "found"),
    [(FEW_DISTINCT + 20, (FEW_DISTINCT + 20, True)), (10**9, (MAX_DISTINCT, False))],
)
def test_of_many_only_the_number_is_kept_up_to_what_is_enough(how_many, found):
    assert variety(whole_numbers(how_many), {}) == Variety(*found)


@pytest.mark.parametrize(("size", "every"), [(1, 3), (2, 4), (1, 99)])
def test_what_is_fit_to_ask_is_counted_at_each_size(size, every):
    member = whole_numbers(60, fit=lambda v: (v.n > 0) & (v.n % every == 0))
    found = variety(member, {"size": size})
    assert found.fingerprints == prints(range(every, 60 * size, every))


@pytest.mark.parametrize("how_many", [1_000, 4_000])
def test_what_is_estimated_is_at_least_so_many_and_no_tenth_of_them(how_many):
    found = variety(whole_numbers(how_many), {})
    assert not found.enumerated
    assert how_many / 3 < found.distinct < how_many
    assert str(found) == f"at least {found.distinct:,}"


# The half that is kept


def test_a_bit_of_the_fingerprint_says_what_is_kept_and_never_changes():
    """Numbers that were practised yesterday must not be an exam's tomorrow."""
    kept = {n: is_kept_for_exams(family("cosine"), {}, fingerprint({"a": n})) for n in range(8)}
    assert [n for n in kept if kept[n]] == [1, 2, 4, 6]
    for first in "0123456789abcdef":
        assert is_kept_for_exams(family("cosine"), {}, first + "0" * 63) == (first in "89abcdef")


@pytest.mark.parametrize("key", ["cosine", "path_and_cost"])
def test_about_half_of_what_is_drawn_is_kept(key):
    kept = [is_kept_for_exams(family(key), {}, draw(key, seed).fingerprint) for seed in range(60)]
    assert 15 < sum(kept) < 45


@pytest.mark.parametrize("how_many", [2, 3, 10])
def test_few_are_shared_out_so_that_neither_half_is_empty(how_many):
    member = whole_numbers(how_many)
    kept = [is_kept_for_exams(member, {}, mark) for mark in prints(range(how_many))]
    assert sum(kept) == how_many // 2


def test_numbers_that_few_do_not_hold_go_by_the_bit():
    """A variant of an earlier version may come from a wider range."""
    member = whole_numbers(2)
    for first in "0f":
        assert is_kept_for_exams(member, {}, first * 64) == (first == "f")
