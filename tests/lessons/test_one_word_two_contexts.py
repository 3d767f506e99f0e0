"""Every number that lesson 2 states, computed again."""

import numpy as np

from attention_core import attention, attention_scores, attention_weights, softmax
from tests.lessons.shipped import as_written, distance, shipped, wrong_numbers

LESSON = shipped("one-word-two-contexts")

TABLE = {
    "mouse": [1, 1, 0],
    "cat": [2, 0, 0],
    "keyboard": [0, 2, 0],
    "friends": [0.5, 0, 0],
    "useful": [0, 0.5, 0],
    "and": [0, 0, 1],
    "are": [0, 0, 1],
}
CAT = ["cat", "and", "mouse", "are", "friends"]
KEYBOARD = ["keyboard", "and", "mouse", "are", "useful"]
QUESTION = ["are", "cat", "and", "mouse", "friends"]


def embedded(words):
    return np.array([TABLE[word] for word in words], dtype=float)


X = embedded(CAT)
SCORES = attention_scores(X, X, scale=1.0)
SCALED = attention_scores(X, X)
A = attention_weights(X, X)
Z = attention(X, X, X)
MOUSE, FIRST = A[2], Z[2]
UNSCALED = softmax(SCORES[2])
POWERS = np.exp(SCALED[2])
TECHNICAL = [[0, 3, 0], *embedded(KEYBOARD)[1:]]
SUM_OF_WORDS = np.subtract(TABLE["cat"], TABLE["friends"]) + TABLE["useful"]


def from_sum(word):
    return distance(SUM_OF_WORDS, TABLE[word])


# The text's numbers, and the computed ones.
STATED = [
    ("0.005", 0.9**50),
    ("1.414", distance(TABLE["mouse"], TABLE["cat"])),
    *zip(("0.707", "2.121", "1.871"), map(from_sum, ("mouse", "keyboard", "and")), strict=True),
    ("4.5", SCORES[2].sum()),
    ("1.732", 3**0.5),
    *zip(("1.155", "0.289"), SCALED[2, [0, 4]], strict=True),
    *zip(("3.173", "1.335", "9.681"), (*POWERS[[0, 4]], POWERS.sum()), strict=True),
    *zip(("0.328", "0.103", "0.138"), MOUSE[[0, 1, 4]], strict=True),
    ("0.186", A[0, 2]),
    ("1.508", A[:, 0].sum()),
    ("0.401", UNSCALED[0]),
    ("0.466", MOUSE[0] + MOUSE[4]),
    *zip(("1.052", "0.207"), FIRST[[0, 2]], strict=True),
    ("1.053", np.round(MOUSE, 3) @ X[:, 0]),
    ("1.024", distance(FIRST, TABLE["cat"])),
    ("1.987", distance(FIRST, TABLE["keyboard"])),
    *zip(("0.533", "0.152", "0.543"), Z[3], strict=True),
    *zip(("1.422", "0.117"), Z[0, [0, 2]], strict=True),
    *zip(("0.465", "0.261"), attention_weights(TECHNICAL, TECHNICAL)[2, [0, 2]], strict=True),
    ("1.710", attention(TECHNICAL, TECHNICAL, TECHNICAL)[2, 1]),
    ("1.5", SUM_OF_WORDS[0]),
]
GIVEN = {"0.5", "0.9"}


def test_the_lesson_states_the_right_numbers_and_no_others():
    assert wrong_numbers(LESSON, STATED, GIVEN) == []


def test_its_figures_show_the_table_and_both_sentences():
    for rows in (TABLE.values(), X, embedded(KEYBOARD)):
        assert as_written(rows) in LESSON.text


def test_the_attention_matrix_it_shows_is_that_of_the_first_sentence():
    rows = "".join(f"- [{', '.join(f'{weight:.3f}' for weight in row)}]\n" for row in A)
    assert rows in LESSON.text


def test_the_values_it_draws_blend_into_the_animal_and_tech_of_the_output():
    scores = [float(f"{score:.3f}") for score in SCALED[2]]
    assert f"values: {as_written(X[:, :2])}\nscores: {as_written([scores])[1:-1]}" in LESSON.text
    np.testing.assert_allclose(softmax(scores) @ X[:, :2], FIRST[:2], atol=0.0005)


def test_cat_and_keyboard_in_equal_parts_are_the_mouse():
    pair = np.array([TABLE["cat"], TABLE["keyboard"]])
    assert f"values: {as_written(pair[:, :2])}\nscores: [0, 0]" in LESSON.bodies["mouse"]
    np.testing.assert_allclose(softmax([0, 0]) @ pair, TABLE["mouse"])


def test_both_sentences_have_the_same_weights_and_mirrored_outputs():
    second = embedded(KEYBOARD)
    np.testing.assert_allclose(attention_weights(second, second), A)
    np.testing.assert_allclose(attention(second, second, second), Z[:, [1, 0, 2]])


def test_reordered_words_get_their_old_outputs():
    table = ", ".join(f"[{', '.join(f'{x:.3f}' for x in row)}]" for row in Z)
    assert f"values: [{table}]" in LESSON.bodies["order"]
    question = embedded(QUESTION)
    np.testing.assert_allclose(attention(question, question, question), Z[[3, 0, 1, 2, 4]])


def test_nearest_to_the_sum_of_words_is_the_mouse():
    left = [word for word in TABLE if word not in ("cat", "friends", "useful")]
    assert min(left, key=from_sum) == "mouse"


def test_the_mouse_leans_threefold_towards_its_company():
    assert 3 < FIRST[0] / FIRST[1] < 3.5
