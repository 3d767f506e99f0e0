"""Sampling the next token: the candidates, their probabilities, and the draw."""

from collections import Counter
from random import Random

import numpy as np
import pytest

from attention_core.errors import AuthorError, ShapeError
from attention_core.maths.sampling import allowed_tokens, next_probabilities, pick_token
from attention_core.maths.softmax import softmax
from tests.each import each

LOGITS = np.random.default_rng(5).normal(size=(4, 9))


def test_without_cuts_it_is_the_softmax():
    assert np.allclose(next_probabilities(LOGITS, temperature=0.7), softmax(LOGITS / 0.7))


@pytest.mark.parametrize("k", [1, 3, 9, 20])
def test_top_k_leaves_the_k_likeliest(k):
    left = next_probabilities(LOGITS, top_k=k)
    for row, probabilities in zip(LOGITS, left, strict=True):
        assert set(np.flatnonzero(probabilities)) == set(np.argsort(-row)[:k])
    assert np.allclose(left.sum(axis=-1), 1)


@pytest.mark.parametrize("p", [0.01, 0.5, 0.9, 1.0])
def test_top_p_leaves_the_fewest_that_have_so_much(p):
    for whole, left in zip(softmax(LOGITS), allowed_tokens(softmax(LOGITS), top_p=p), strict=True):
        had = np.sort(whole[left])
        assert had.sum() >= p - 1e-9
        assert had[1:].sum() < p
        assert had.min() >= whole[~left].max(initial=0)


@each(
    "why, probabilities, cuts, left",
    [
        ("a p that is met exactly takes no more", [0.5, 0.3, 0.1, 0.1], {"top_p": 0.8}, 2),
        ("of equals the first is left", [0.25] * 4, {"top_k": 1}, 1),
        ("0.4 of 0.7 is less than 0.6", [0.4, 0.3, 0.2, 0.1], {"top_k": 2, "top_p": 0.6}, 2),
        ("0.4 of 0.7 is more than 0.5", [0.4, 0.3, 0.2, 0.1], {"top_k": 2, "top_p": 0.5}, 1),
    ],
)
def test_as_many_are_left_as_the_cuts_say(why, probabilities, cuts, left):
    assert allowed_tokens(probabilities, **cuts).tolist() == [n < left for n in range(4)]


def test_tokens_are_drawn_as_often_as_their_probability_says():
    random, probabilities = Random(1), [0.1, 0.0, 0.6, 0.3]
    drawn = Counter(pick_token(probabilities, random.random()) for _ in range(20_000))
    assert drawn[1] == 0
    assert all(abs(drawn[token] / 20_000 - p) < 0.02 for token, p in enumerate(probabilities))


def test_rounding_never_draws_a_token_that_was_cut():
    cut = next_probabilities([0.0] * 7 + [-5.0], top_k=7)
    assert pick_token(cut, np.nextafter(1, 0)) == 6


@pytest.mark.parametrize("wrong", [{"top_k": 0}, {"top_p": 0}, {"top_p": 1.1}, {"temperature": 0}])
def test_what_makes_no_sense_is_refused(wrong):
    with pytest.raises(AuthorError):
        next_probabilities(LOGITS, **wrong)


def test_a_draw_is_of_one_row():
    with pytest.raises(ShapeError):
        pick_token(softmax(LOGITS), 0.5)
    with pytest.raises(AuthorError):
        pick_token([1.0], 1.0)
