"""Every number that the primer states, computed again."""

import math
import re

import numpy as np

from attention_core import attention, attention_scores, attention_weights, softmax
from lessons.authoring.services import import_lesson
from lessons.pages.page import BEFORE, FOLDED_BEFORE
from tests.lessons.shipped import as_written, shipped, slope, wrong_numbers
from tests.lessons.voice import Prose

PRIMER = shipped("primer")
BODIES = PRIMER.bodies

A, B = np.array([[1, 2, 0], [3, 1, 2]]), np.array([[2, 1], [0, 4], [5, -1]])
NUMBERS = np.array([2, 4, 4, 6])
# The last section's query, keys and values, and the scores of its other query.
Q, K = np.array([[2, 1, 0, 1]]), np.array([[1, 1, 0, 1], [1, -1, 2, 1], [0, 1, 1, -1]])
V = np.array([[3, 0], [1, 3], [-2, 1]])
(WEIGHTS,), (BLEND,) = attention_weights(Q, K).tolist(), attention(Q, K, V).tolist()
OTHER = np.array([0, 4, 4])
OTHER_SCALED = OTHER / math.sqrt(K.shape[1])


def square(x):
    return x**2


STEPPED = 3 - 0.1 * 6
AGAIN = STEPPED - 0.1 * 2 * STEPPED
RAISED = softmax(attention_scores(Q, K)[0] + [0.01, 0, 0])[0] - WEIGHTS[0]

# The text's numbers, and the computed ones.
STATED = {
    "0.135": math.exp(-2),
    "0.368": math.exp(-1),
    "2.718": math.e,
    "7.389": math.exp(2),
    "1.414": NUMBERS.std(),
    "9.0601": square(3.01),
    "6.01": (square(3.01) - square(3)) / 0.01,
    "1.667": 2.5 / 1.5,
    "2.4": STEPPED,
    "5.76": square(STEPPED),
    "4.8": 2 * STEPPED,
    "1.92": AGAIN,
    "3.686": square(AGAIN),
    "1.8": STEPPED - 0.1 * 6,
    "2.88": STEPPED + 0.1 * 2 * STEPPED,
    "0.6": 0.1 * 6,
    "11.107": np.exp(attention_scores(Q, K)).sum(),
    "0.665": WEIGHTS[0],
    "0.245": WEIGHTS[1],
    "0.090": WEIGHTS[2],
    "2.06": BLEND[0],
    "0.82": BLEND[1],
    "0.0022": RAISED,
    "0.223": slope(WEIGHTS[0]),
    "15.778": np.exp(OTHER_SCALED).sum(),
    "0.063": softmax(OTHER_SCALED)[0],
    "0.468": softmax(OTHER_SCALED)[1],
    "0.009": softmax(OTHER)[0],
}
GIVEN = {"0.7", "0.2", "0.1", "0.01", "3.01", "2.5", "1.5", "0.000"}


def test_the_lesson_states_the_right_numbers_and_no_others():
    assert wrong_numbers(PRIMER, STATED.items(), GIVEN) == []


def test_the_figures_show_the_matrices_and_what_comes_of_them():
    for matrix in (A, B, A @ B, A.T, K, V):
        assert as_written(matrix) in PRIMER.text


def test_each_cell_of_the_product_is_written_out():
    lines = re.findall(r"c_\{(\d)(\d)\} &= (.+?) = (\d+)", BODIES["product"])
    assert len(lines) == (A @ B).size
    for row, column, terms, result in lines:
        i, j = int(row) - 1, int(column) - 1
        factors = [
            tuple(int(f.strip("()")) for f in term.split(r" \cdot ")) for term in terms.split(" + ")
        ]
        assert factors == [(int(a), int(b)) for a, b in zip(A[i], B[:, j], strict=True)]
        assert int(result) == (A @ B)[i, j]


# Sentences by section, and whether they are true.
WHOLE = [
    ("check", r"$2 \cdot 3 + 1 \cdot 4 = 10$", np.dot([2, 1], [3, 4]) == 10),
    ("check", "- [ ] 21", (2 + 1) * (3 + 4) == 21),
    ("check", "3 × 4", (np.ones((3, 2)) @ np.ones((2, 4))).shape == (3, 4)),
    ("check", "$1 + 4 + 9 = 14$", sum(i**2 for i in range(1, 4)) == 14),
    ("check", "- [ ] 36", sum(range(1, 4)) ** 2 == 36),
    ("check", "- [x] 4", np.var([1, 5]) == 4),
    ("check", "- [ ] 2", np.std([1, 5]) == 2),
    ("product", r"so $3 \times 3$", (B @ A).shape == (3, 3)),
    ("product", "gives $(2, 9)$", ([1, 2, 0] @ B).tolist() == [2, 9]),
    ("transpose", r"0 \cdot 2 = 5$", (A @ A.T)[0, 1] == 5),
    ("transpose", r"in $A^\top A$, which is $3 \times 3$", (A.T @ A).shape == (3, 3)),
    ("sum", r"= 17 .", math.isclose(np.dot([0.7, 0.2, 0.1], [10, 20, 60]), 17)),
    ("exponential", r"$e^{2.5}$", math.isclose(math.exp(2.5), math.exp(1.5) * math.e)),
    ("exponential", r"\approx -2$", round(math.log(0.135)) == -2),
    ("variance", "$16 / 4 = 4$", NUMBERS.sum() == 16 and NUMBERS.mean() == 4),
    ("variance", "{4} = 2", NUMBERS.var() == 2),
    ("variance", "$32 / 4 = 8$", (2 * NUMBERS).var() == 8 == 4 * NUMBERS.var()),
    ("variance", r"$\sqrt{64} = 8$", math.isqrt(64) == 8),
    ("attention", "$q = (2, 1, 0, 1)$", Q.tolist() == [[2, 1, 0, 1]]),
    ("attention", "$(3, 0)$, $(1, 3)$ and $(-2, 1)$", V.tolist() == [[3, 0], [1, 3], [-2, 1]]),
    ("attention", "(4, 2, 0)$", attention_scores(Q, K, scale=1).tolist() == [[4, 2, 0]]),
    ("attention", r"\cdot 0 + 1 \cdot 1 = 4$", (Q * K[0]).tolist() == [[2, 1, 0, 1]]),
    ("attention", "divide by 2: $(2, 1, 0)$", attention_scores(Q, K).tolist() == [[2, 1, 0]]),
    ("attention", "are 0, 2 and 2", OTHER_SCALED.tolist() == [0, 2, 2]),
    ("attention", "here 4", K.shape[1] == 4),
]


def test_whole_numbers_are_right_too():
    wrong = [
        (where, text) for where, text, is_so in WHOLE if text not in BODIES[where] or not is_so
    ]
    assert wrong == []


def test_the_last_section_blends_the_vectors_of_an_earlier_figure_and_stays_short():
    figure = f"values: {as_written(V)}\nscores: {as_written(attention_scores(Q, K))[1:-1]}\n"
    assert figure in BODIES["sum"]
    assert Prose.of(BODIES["attention"]).words <= 250


def test_the_check_asks_for_each_section_and_leads_to_it():
    assert BODIES["check"].count("::: choose") == 6
    for section in ("product", "sum", "exponential", "variance", "slope"):
        assert f"lesson:primer#{section}" in BODIES["check"]


def test_the_catalogue_does_not_count_it_among_the_lessons(client, db):
    for slug in ("primer", "attention-foundations"):
        import_lesson(text=shipped(slug).text)
    before, first = re.findall(r'<li class="(line[^"]*)"', client.get("/").text)
    assert (before, first) == ("line line-before", "line")


def test_nothing_long_stands_before_its_check():
    assert set(PRIMER.lesson.fields) & {*BEFORE, *FOLDED_BEFORE} == {"today", "fits"}
    assert not PRIMER.lesson.words
    assert next(iter(BODIES)) == "check"
