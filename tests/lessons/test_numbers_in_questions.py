"""Every number that a concept question states, or asks for, computed again."""

import math
import re
from functools import partial

import numpy as np
import pytest

from attention_core import (
    attention,
    attention_scores,
    attention_weights,
    layer_norm,
    relu,
    rms_norm,
    silu,
    softmax,
)
from attention_core.maths.vectors import cosine_similarity
from tests.each import each
from tests.lessons.shipped import distance, rounded, slope
from tests.lessons.test_questions import QUESTIONS

BY_KEY = {question["key"]: question for question in QUESTIONS}


NEGATIVE = np.exp([-1, -2, -4])
LIKE_SHARES = softmax([0.5, 0.3, 0.2])
BASE_TWO = 2.0 ** np.array([2, 1, 0])
BASE_E = softmax([2, 1, 0])
TEA, COFFEE, CUP, TRAIN = (1, 2), (2, 2), (1, 4), (5, 1)
# Numbers of three decimals or more in questions, and the computed ones.
STATED = {
    "rnn-factor": {"0.001": 0.5**10},
    "rnn-gate-keep": {"0.605": 0.99**50, "0.005": 0.9**50},
    "unscaled-slope": {"0.001": slope(0.999)},
    "unscaled-steepest": {"0.0196": slope(0.02), "0.16": slope(0.8), "0.25": slope(0.5)},
    "unscaled-other-score": {"0.21": 0.7 * 0.3},
    "heads-divisor": {"27.7": 768**0.5, "3.46": 12**0.5},
    "next-loss-even": {"6.908": -math.log(1 / 1000), "0.001": 1 / 1000},
    "next-loss-better": {"0.693": math.log(2), "1.609": -math.log(0.2), "2.303": -math.log(0.1)},
    "scores-differences": {"0.881": softmax([2, 0])[0], "0.711": softmax([2, 0, 0, 0])[0]},
    "scores-all-negative": {
        **dict(zip(("0.368", "0.135", "0.018"), NEGATIVE, strict=True)),
        **dict(zip(("0.705", "0.259", "0.035"), NEGATIVE / NEGATIVE.sum(), strict=True)),
    },
    "scores-look-like-shares": dict(zip(("0.391", "0.320", "0.289"), LIKE_SHARES, strict=True)),
    "norms-output": {"0.707": np.std([1, -1, 0, 0])},
    "swiglu-silu": {"0.269": -silu(-1)},
    "swiglu-far": {"9.9995": silu(10), "0.0005": -silu(-10)},
    "root-not-dk": {"0.125": 64**0.5 / 64},
    "softmax-negative": {"7.389": math.exp(2)},
    "softmax-factor": {"7.389": math.exp(2)},
    "softmax-base": {
        **dict(zip(("0.571", "0.286", "0.143"), BASE_TWO / BASE_TWO.sum(), strict=True)),
        **dict(zip(("0.665", "0.245", "0.090"), BASE_E, strict=True)),
        "2.718": math.exp(1),
    },
    "softmax-long-row": {
        "0.129": softmax([5] + [0] * 999)[0],
        "148.4": math.exp(5),
        "1147.4": math.exp(5) + 999,
        "6.9": math.log(999),
    },
    "near-distance-cosine": {"12.728": distance((1, 1), (10, 10))},
    "near-nearest": {"4.123": distance(TEA, TRAIN)},
}
# Stated by the question itself, or steps too small to be anything.
GIVEN = {"unscaled-slope": {"0.999"}, "vectors-nudge-id": {"0.001"}, "soft-sharp": {"0.999"}}
ELEPHANT = softmax([4.40, -0.21, 2.70, 0.85, 0.66, 2.92, 1.51])
# Vectors in the right choices.
VECTORS = {
    "vectors-halfway": [np.mean([[0.4, -0.2], [0.8, 0.6]], axis=0)],
    "flow-share": [np.array([0.8, 0.2]) @ [[0, 0], [5, -5]]],
    "ffn-relu": [relu([2, -1, 0.5]) @ [[1, 0], [5, 5], [0, 2]]],
    "swiglu-numbers": [np.array([2, 0, -0.1]) * [1, 7, 5]],
    "row-compute": [np.array([0.5, 0.25, 0.25]) @ [[4, 0], [0, 4], [4, 4]]],
    "value-exchanged": [np.array([0.9, 0.1]) @ [[0, 1], [1, 0]]],
    "position-recover": [np.subtract([1.4, 0.3], [0.5, -0.2])],
    "differ-compute": [attention(X, X, X)[0] for X in ([[1, 1], [2, 0]], [[1, 1], [0, 2]])],
    "mechanism-two-keys": [softmax([0, 0]) @ [[2, 0], [0, 2]]],
    "heads-averaged": [np.mean([[2, -1], [-2, 1]], axis=0)],
}
# Right choices that are a whole number, or have one decimal.
NUMBERS = {
    "window-five": ("6", 12 / 2),
    "mask-one-pass": ("999", 1000 - 1),
    "fixed-divisor": ("4", 16**0.5),
    "heads-divisor": ("8", (768 / 12) ** 0.5),
    "applications-tiles": ("38,416", 196**2),
    "path-all-scores": ("120,000", 6 * 8 * 50**2),
    "parallel-cached-row": ("301", 300 + 1),
    "parallel-layers": ("12", 96 / 8),
    "applications-protein-steps": ("235", 240 - 5),
    "roles-finds-itself": ("10", 3 * 3 + 1 * 1),
    "trained-count": ("130", 10 * 4 + 10 * 4 + 10 * 5),
    "residual-slope": ("0.9", 1 - 0.1),
    "ffn-count": ("80,000", 2 * 100 * 400),
    "root-left-behind": ("2", 256**0.5 / 64**0.5),
    "embeddings-count": ("50,000", 2000 * 25),
    "sampling-temperature-find": ("0.5", 2 / 4),
}


def all_texts(key):
    """Return all texts of the question, with thousands as they are printed."""
    question = BY_KEY[key]
    texts = [question["prompt"], question["explanation"]]
    texts += [choice[name] for choice in question["choices"] for name in ("text", "feedback")]
    return " ".join(texts).replace("{,}", ",")


def right_choice(key):
    (choice,) = (choice for choice in BY_KEY[key]["choices"] if choice["correct"])
    return choice["text"].replace("−", "-")


@each("key, text", [(key, text) for key, stated in STATED.items() for text in stated])
def test_a_stated_number_is_what_comes_out(key, text):
    assert text in all_texts(key)
    assert rounded(STATED[key][text], like=text) == text


def test_no_number_is_stated_that_is_not_checked():
    unchecked = {
        key: set(re.findall(r"\d+\.\d{3,}", all_texts(key)))
        - STATED.get(key, {}).keys()
        - GIVEN.get(key, set())
        for key in BY_KEY
    }
    assert {key: numbers for key, numbers in unchecked.items() if numbers} == {}


@each("key, vectors", VECTORS.items())
def test_a_right_choice_names_the_vector_that_comes_out(key, vectors):
    for vector in vectors:
        written = ", ".join(f"{number:.6g}" for number in np.round(vector, 9) + 0.0)
        assert f"({written})" in right_choice(key)


@each("key, number", NUMBERS.items())
def test_a_right_choice_names_the_number_that_comes_out(key, number):
    written, value = number
    assert re.search(rf"(?<![\d.,]){written}(?![\d]|[.,]\d)", right_choice(key))
    assert float(written.replace(",", "")) == value


def test_weights_are_as_their_questions_print_them():
    np.testing.assert_allclose(ELEPHANT, [0.65, 0.01, 0.12, 0.02, 0.02, 0.15, 0.04], atol=0.005)
    masked = attention_weights(np.zeros((4, 2)), np.zeros((4, 2)), causal=True)
    np.testing.assert_allclose(masked[2], [1 / 3, 1 / 3, 1 / 3, 0])
    np.testing.assert_allclose(softmax([300, 300, 100]), [0.5, 0.5, 0], atol=1e-9)
    np.testing.assert_allclose(np.sum([[0.7, 0.2], [0.3, 0.8]], axis=0), [1, 1])


def test_dot_products_are_as_their_questions_use_them():
    # roles-which-score
    dot = partial(attention_scores, scale=1.0)
    np.testing.assert_array_equal(dot([[1, 0], [0, 1]], [[0, 2], [3, 0]]), [[0, 3], [2, 0]])
    # dot-ignored, query-turned
    np.testing.assert_array_equal(dot([[2, 0]], [[1, 5], [2, -7]]), [[2, 4]])
    np.testing.assert_array_equal(dot([[1, 0], [0, 1]], [[3, 0], [0, 3]]), [[3, 0], [0, 3]])
    # dot-matrix
    words = np.array([[2, 0, 0], [0, 1, 0], [1, 0, 1]])
    np.testing.assert_array_equal(words @ words.T, [[4, 0, 2], [0, 1, 0], [2, 0, 2]])


def test_words_are_near_and_far_as_their_questions_say():
    assert [distance(TEA, other) for other in (COFFEE, CUP)] == [1, 2]
    assert [np.dot(TEA, other) for other in (CUP, COFFEE, TRAIN)] == [9, 6, 7]
    assert cosine_similarity([1, 1], [10, 10]) == pytest.approx(1)
    assert np.dot([2, 0, 1], [-1, 3, 2]) == 0
    assert np.dot([1, 0], [3, 4]) > np.dot([1, 0], [2, 0])


def test_norms_do_what_their_questions_say():
    x = np.array([0.5, -1.0, 2.0, 0.3])
    for norm in (layer_norm, rms_norm):
        np.testing.assert_allclose(norm(5 * x, epsilon=0), norm(x, epsilon=0))
    np.testing.assert_allclose(layer_norm(x + 10, epsilon=0), layer_norm(x, epsilon=0))
    assert not np.allclose(rms_norm(x + 10, epsilon=0), rms_norm(x, epsilon=0))
    np.testing.assert_allclose(layer_norm([1, -1, 1, -1], epsilon=0), [1, -1, 1, -1])


def test_projections_drop_what_their_questions_say():
    projection = np.array([[1, 0], [1, 0], [0, 1]])
    np.testing.assert_array_equal([2, 0, 1] @ projection, [1, 1, 1] @ projection)
    for one, other in (([2, 0, 0], [0, 0, 2]), ([1, 1, 0], [1, 0, 1]), ([3, 0, 0], [1, 1, 0])):
        assert not np.array_equal(one @ projection, other @ projection)


def test_wrong_vectors_come_of_the_mistakes_they_stand_for():
    inner, rows = np.array([2, -1, 0.5]), np.array([[1, 0], [5, 5], [0, 2]])
    np.testing.assert_array_equal(inner @ rows, [-3, -4])
    np.testing.assert_array_equal(np.abs(inner) @ rows, [7, 6])
    values = np.array([[4, 0], [0, 4], [4, 4]])
    np.testing.assert_array_equal(values.sum(axis=0), [8, 8])
    np.testing.assert_allclose(values.mean(axis=0), [2.67, 2.67], atol=0.005)
