"""Every number that lesson 1 states, computed again."""

import math

import numpy as np

from attention_core import attention, attention_scores, attention_weights, softmax
from lessons.real_model import encoder
from tests.lessons.shipped import distance, looks, shipped, slope, wrong_numbers

SHIPPED = shipped("attention-foundations")
LESSON, TEXT = SHIPPED.lesson, SHIPPED.text

DOG, CAT, TELEVISION = [0.9, 0.6, 0.1], [0.8, 0.9, 0.0], [0.0, 0.8, 0.9]
W_Q = [[0.6, -0.2], [0.4, 0.8], [-0.5, 0.3]]
Q, K = [[0.9, 0.2, 0.5], [0.3, 0.8, 0.4]], [[0.7, 0.4, 0.6], [0.2, 0.9, 0.3]]
V = [[0.5, 0.8, 0.2], [0.7, 0.1, 0.9]]
# The masked example: the query of the second word, and the keys that it may see.
CAT_ASKS, SEEN = [0.5, 1], [[0.5, 0.5], [1, 0.5]]
SHARP, EVEN = softmax([[8, 0, -8], [1, 0, -1]])[:, 0]
EXPONENTIALS = np.exp([2, 1, -1])
# The scores of elephant in a head of the real model, and the sentence that it reads.
ELEPHANT_GIVES = [4.40, -0.21, 2.70, 0.85, 0.66, 2.92, 1.51]
READ = "The elephant is very large"
LAYER, HEAD = 1, 0
ELEPHANT = looks("elephant_large", LAYER, HEAD, "elephant")


def cosine_of(a, b):
    return float(np.dot(a, b) / (np.linalg.norm(a) * np.linalg.norm(b)))


TOO_EVEN = softmax([8 / math.sqrt(256), 0, -8 / math.sqrt(256)])

# The text's numbers, and the computed ones.
STATED = [
    ("0.332", distance(CAT, DOG)),
    ("1.26", np.dot(CAT, DOG)),
    *zip(("1.204", "1.086"), np.linalg.norm([CAT, DOG], axis=1), strict=True),
    ("0.963", cosine_of(CAT, DOG)),
    ("1.208", distance(CAT, TELEVISION)),
    ("0.497", cosine_of(CAT, TELEVISION)),
    *zip(("0.73", "0.33"), np.array(DOG) @ W_Q, strict=True),
    ("1.732", math.sqrt(3)),
    *zip(("1.01", "0.51"), attention_scores(Q, K, scale=1.0)[0], strict=True),
    *zip(("0.583", "0.294"), attention_scores(Q, K)[0], strict=True),
    *zip(("0.572", "0.428"), attention_weights(Q, K)[0], strict=True),
    ("0.586", attention(Q, K, V)[0, 0]),
    *zip(("0.0003", "0.2227"), map(slope, (SHARP, EVEN)), strict=True),
    *zip(("0.5065", "0.1863", "0.2500"), (*TOO_EVEN[::2], slope(TOO_EVEN[0])), strict=True),
    *zip(("7.389", "2.718", "0.368"), EXPONENTIALS, strict=True),
    ("10.475", EXPONENTIALS.sum()),
    *zip(("0.705", "0.259", "0.035"), softmax([2, 1, -1]), strict=True),
    ("0.999", sum(round(float(weight), 3) for weight in softmax([2, 1, -1]))),
    ("0.75", np.dot(CAT_ASKS, SEEN[0])),
    *zip(("0.530", "0.707"), attention_scores([CAT_ASKS], SEEN)[0], strict=True),
    *zip(("0.456", "0.544"), attention_weights([CAT_ASKS], SEEN)[0], strict=True),
    *zip(("0.01", "0.09"), (0.1**2, 0.3**2), strict=True),  # the squares of cat minus dog
    *zip(
        ("0.149", "0.119", "0.655"),
        (ELEPHANT[word] for word in ("large", "elephant", "[CLS]")),
        strict=True,
    ),
    ("0.04", sum(ELEPHANT[word] for word in ("the", "is", "very"))),
]
GIVEN = {f"{tenth / 10}" for tenth in range(1, 10)}


def test_the_lesson_states_the_right_numbers_and_no_others():
    assert wrong_numbers(SHIPPED, STATED, GIVEN) == []


def test_numbers_of_parameters_are_right():
    assert f"{3 * 768 * 64:,}".replace(",", "{,}") in SHIPPED.prose
    assert math.isqrt(64) == 8


def test_the_masked_example_works_with_the_numbers_of_its_figure():
    assert "q: [[1, 0], [0.5, 1], [1, 1]]\nk: [[0.5, 0.5], [1, 0.5], [0.2, 1]]" in TEXT
    assert np.dot(CAT_ASKS, SEEN[1]) == 1


def test_the_lesson_works_with_the_numbers_of_its_tables():
    for rows in (Q, K, V, [DOG, CAT, TELEVISION], W_Q):
        assert str(rows).replace(".0]", "]").replace("[0.0,", "[0,") in TEXT


def test_the_table_of_cosines_is_right():
    words = [DOG, CAT, TELEVISION]
    rows = [[round(cosine_of(a, b), 3) for b in words] for a in words]
    assert str(rows).replace("1.0", "1") in TEXT


def test_what_elephant_gives_is_measured():
    reading, [layer] = encoder.read(READ), encoder._encoder()._layers[LAYER : LAYER + 1]
    learned, x = layer.weights.keywords, reading.hidden[LAYER]
    queries, keys = (x @ learned[f"W_{of}"] + learned[f"b_{of}"] for of in "QK")
    width = x.shape[1] // learned["heads"]
    own = slice(HEAD * width, (HEAD + 1) * width)
    place = reading.tokens.index("elephant")
    scores = attention_scores(queries[:, own], keys[:, own])[place]
    assert [round(float(score), 2) for score in scores] == ELEPHANT_GIVES
    assert np.abs(softmax([ELEPHANT_GIVES])[0] - [*ELEPHANT.values()]).max() < 0.005
    columns = ", ".join(f'"{t}"' if t.startswith("[") else t for t in reading.tokens)
    values = ", ".join(f"{score:.2f}" for score in ELEPHANT_GIVES)
    assert TEXT.count(f"columns: [{columns}]\nvalues: [[{values}]]") == 2
    assert sum(round(float(weight), 2) for weight in softmax([ELEPHANT_GIVES])[0]) == 1.01


def test_large_comes_first_in_few_heads():
    reading = encoder.read(READ)
    words = READ.lower().split()
    at = [reading.tokens.index(word) for word in words]
    rows = [head[at[1], at] for layer in reading.weights for head in layer]
    first = sum(words[int(row.argmax())] == "large" for row in rows)
    assert f"in only {first} of the {len(rows)}." in " ".join(TEXT.split())
    assert max(ELEPHANT, key=ELEPHANT.get) == "[CLS]"
    assert ELEPHANT["large"] < 1 / 5


def test_it_has_what_a_first_lesson_needs():
    assert len(LESSON.words) >= 8
    for name in ("today", "big_question", "outcomes", "analogy", "easy_mistake", "big_story"):
        assert LESSON.fields[name]
