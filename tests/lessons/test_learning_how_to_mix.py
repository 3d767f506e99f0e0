"""Every number that lesson 3 states, computed again."""

import numpy as np

from attention_core import attention, attention_scores, attention_weights, softmax
from lessons.real_model.maps import attention_map
from tests.lessons.shipped import as_written, shipped, slope, wrong_numbers

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


def looks(source, word):
    """Return the weight of “it” for a word in the head that the lesson shows."""
    measured = attention_map(source)
    (head,) = (head for head in measured.heads if (head.layer, head.head) == (3, 1))
    return head.weights[measured.tokens.index("it")][measured.tokens.index(word)]


# The text's numbers, and the computed ones.
STATED = {
    "0.007": A[2, 1],
    "0.103": attention_weights(X, X)[2, 1],
    "0.328": attention_weights(X, X)[2, 0],
    "0.186": attention_weights(X, X)[0, 2],
    "1.424": Z[2, 0],
    "0.465": Z[2, 1],
    "0.9997": SHARP[0],
    "0.0003": slope(SHARP[0]),
    "0.665": EVEN[0],
    "0.245": EVEN[1],
    "0.090": EVEN[2],
    "0.223": slope(EVEN[0]),
    "0.25": slope(0.5),
    "0.056": A[2, 4],
    "0.959": NARROW[0],
    "0.958": np.round(A[2], 3) @ (X @ W_V)[:, 0],
    "1.890": NARROW[1],
    "0.14": HEADS[0] @ np.array(W_O)[:, 0],
}
# Measured on a real model: the row of “it”, for either ending of the sentence.
MEASURED = {
    "0.653": looks("animal_it", "animal"),
    "0.056": looks("animal_it", "street"),
    "0.300": looks("animal_it_wide", "animal"),
    "0.155": looks("animal_it_wide", "street"),
    "0.320": looks("animal_it_wide", "[CLS]"),
}
GIVEN = {str(tenth / 10) for tenth in range(1, 10)}


def test_the_lesson_states_the_right_numbers_and_no_others():
    assert wrong_numbers(LESSON, [*STATED.items(), *MEASURED.items()], GIVEN) == []


def test_the_lesson_states_what_was_measured_where_it_tells_of_it():
    assert [text for text in MEASURED if text not in LESSON.bodies["interpretability"]] == []


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
