"""Every number that lesson 3 states, computed again."""

import numpy as np

from attention_core import attention, attention_scores, attention_weights, softmax
from tests.lessons.shipped import as_written, looks, shipped, slope, wrong_numbers

LESSON = shipped("learning-how-to-mix")

# cat and mouse are friends; keyboard and mouse are useful.
X = np.array([[2, 0, 0], [0, 0, 1], [1, 1, 0], [0, 0, 1], [0.5, 0, 0]])
OTHER = X[:, [1, 0, 2]]
W_Q = np.array([[1, 0], [1, 0], [0, 1]], dtype=float)
W_K = np.array([[1, 0.5], [1, 0.5], [-1, 0]])
W_V = np.array([[1, 1], [-1, 1], [0, 0]], dtype=float)
HOLDS_GRAMMAR_BACK = np.diag([1.0, 1, 0])
Q, K, V = X @ W_Q, X @ W_K, X @ HOLDS_GRAMMAR_BACK
A = attention_weights(Q, K)
Z = attention(Q, K, V)
NARROW = attention(Q, K, X @ W_V)[2]
OTHER_NARROW = attention(OTHER @ W_Q, OTHER @ W_K, OTHER @ W_V)[2]

RAW = [16, 8, 0]
SHARP, EVEN = softmax(RAW), softmax(np.divide(RAW, 64**0.5))

QUERIES = [[0.5, 1.2, -0.3, 0.8], [1, -0.4, 0.6, 0.2]]
HEADS = [[0.6, 0.2, -0.3, 0.9], [0.4, 0.5, 0.7, 0.1]]
W_O = [[0.5, 0, 0.2, -0.4], [0.1, 0.6, -0.3, 0], [0, 0.4, 0.5, 0.3], [-0.2, 0.1, 0, 0.8]]


# The text's numbers, and the computed ones.
STATED = [
    *zip(("0.007", "0.056"), A[2, [1, 4]], strict=True),
    *zip(("0.328", "0.103"), attention_weights(X, X)[2, :2], strict=True),
    ("0.186", attention_weights(X, X)[0, 2]),
    *zip(("1.424", "0.465"), Z[2, :2], strict=True),
    *zip(("0.9997", "0.0003"), (SHARP[0], slope(SHARP[0])), strict=True),
    *zip(("0.665", "0.245", "0.090"), EVEN, strict=True),
    *zip(("0.223", "0.25"), map(slope, (EVEN[0], 0.5)), strict=True),
    *zip(("0.959", "1.890"), NARROW, strict=True),
    ("0.958", np.round(A[2], 3) @ (X @ W_V)[:, 0]),
    ("0.14", HEADS[0] @ np.array(W_O)[:, 0]),
]
# Measured on a real model: the row of “it”, for either ending of the sentence.
IT, WIDE = (looks(source, 3, 1, "it") for source in ("animal_it", "animal_it_wide"))
MEASURED = [
    *zip(("0.653", "0.056"), map(IT.get, ("animal", "street")), strict=True),
    *zip(("0.300", "0.155", "0.320"), map(WIDE.get, ("animal", "street", "[CLS]")), strict=True),
]
GIVEN = {str(tenth / 10) for tenth in range(1, 10)}


def test_the_lesson_states_the_right_numbers_and_no_others():
    assert wrong_numbers(LESSON, [*STATED, *MEASURED], GIVEN) == []


def test_the_lesson_states_what_was_measured_where_it_tells_of_it():
    assert [
        text for text, _weight in MEASURED if text not in LESSON.bodies["interpretability"]
    ] == []


def test_its_figure_works_with_the_projections_of_its_table():
    for rows in (Q, K, V, W_Q, W_K, W_V, QUERIES, HEADS, W_O):
        assert as_written(rows) in LESSON.text


def test_interest_has_become_one_sided():
    scores = attention_scores(Q, K, scale=1.0)
    assert (scores[2, 1], scores[1, 2]) == (-2, 1)


def test_what_the_projections_drop_makes_cat_and_mouse_alike():
    for projected in (Q, K):
        np.testing.assert_array_equal(projected[0], projected[2])
    np.testing.assert_array_equal([1, -1, 0] @ W_Q, [0, 0])
    np.testing.assert_array_equal([1, -1, 0] @ W_K, [0, 0])


def test_the_narrow_output_turns_its_sign_in_the_other_sentence():
    np.testing.assert_allclose(OTHER_NARROW, NARROW * [-1, 1])


def test_scaling_makes_the_slope_six_hundred_times_as_steep():
    assert 600 < slope(EVEN[0]) / slope(SHARP[0]) < 700


def test_scaling_leaves_the_raw_score_a_slope_eighty_three_times_as_steep():
    assert round(slope(EVEN[0]) / 64**0.5 / slope(SHARP[0])) == 83
    assert "That still leaves 83 times" in " ".join(LESSON.bodies["gradients"].split())


def test_the_scores_of_pure_dimensions_are_the_product_of_both_matrices():
    assert as_written(HOLDS_GRAMMAR_BACK) in LESSON.bodies["projections"]
    scores = attention_scores(W_Q, W_K, scale=1.0)
    assert (scores[2, 0], scores[0, 2]) == (0.5, -1)
    np.testing.assert_array_equal(X @ scores @ X.T, attention_scores(Q, K, scale=1.0))
    mutual = attention_scores(W_Q, W_Q, scale=1.0)
    np.testing.assert_array_equal(mutual, mutual.T)


def test_either_of_two_numbers_makes_animal_seek_grammar():
    for matrix, place in ((W_K, (2, 0)), (W_Q, (0, 0))):
        changed = matrix.copy()
        changed[place] *= -1
        q, k = (changed, W_K) if matrix is W_Q else (W_Q, changed)
        assert attention_scores(q, k, scale=1.0)[0, 2] > 0
