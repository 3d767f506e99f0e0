"""Every number that lesson 4 states, computed again."""

import json
import math
import re
from pathlib import Path

import numpy as np

from attention_core import attention_weights, sinusoidal_positions, softmax
from tests.lessons.shipped import as_written, shipped, wrong_numbers

SHIPPED = shipped("embeddings-to-attention")
FIGURES = json.loads(
    (Path(__file__).parents[1] / "attention_core" / "figures.json").read_text(encoding="utf-8")
)["the_cat_sat"]

h, W_VOCAB = [1.2, -0.4, 0.8], [[1.0, 0.6, -0.5], [-0.5, 0.2, 1.0], [1.5, 0.9, 0.1]]
LOGITS = np.array(h) @ W_VOCAB
EXPONENTIALS = np.exp(LOGITS)
NEXT = softmax(LOGITS)
E = [
    [0.1, -0.2, 0.3, 0.0],
    [0.8, 0.4, -0.1, 0.2],
    [-0.3, 0.9, 0.2, -0.4],
    [0.0, -0.5, 0.4, 0.6],
    [0.7, -0.3, -0.2, 0.5],
]
IDS = [0, 1, 2, 3, 0, 4]
P = sinusoidal_positions(range(6), 4)
X = np.array(E)[IDS] + P
W_Q = [[1, 0], [0.5, -0.5], [0, 1], [-0.5, 0.5]]
Q = X @ W_Q
SAT, QUERY = X[2], Q[2]
THREE = np.array([1, 0.5, -0.5])
SCORES, V = np.array(FIGURES["scores"]), np.array(FIGURES["v"])
SCALED = SCORES / math.sqrt(64)
WEIGHTS, EVEN_WIDTH = softmax(SCALED), softmax(SCORES)
BLEND, MASKED = WEIGHTS @ V, softmax(SCALED[:3]) @ V[:3]
PRINTED = [0.157, 0.197, 0.176, 0.185, 0.192]
SLIPPED = [5.87, 0, 2.03]

STATED = [
    *zip(("2.6", "1.36", "0.92"), LOGITS, strict=True),
    *zip(("13.464", "3.896", "0.399"), EXPONENTIALS, strict=True),
    ("17.758", EXPONENTIALS.sum()),
    *zip(("12.6", "11.36", "9.08"), LOGITS + 10, strict=True),
    ("1.24", LOGITS[0] - LOGITS[1]),
    ("3.456", NEXT[0] / NEXT[1]),
    *zip(("1.3", "0.68", "0.46"), LOGITS / 2, strict=True),
    ("0.585", softmax(LOGITS / 2)[0]),
    *zip(("5.2", "2.72", "1.84"), LOGITS / 0.5, strict=True),
    ("0.922", softmax(LOGITS / 0.5)[0]),
    ("0.758", NEXT[0]),
    ("0.277", -math.log(NEXT[0])),
    ("3.797", -math.log(NEXT[2])),
    ("0.03", 3 / 10000 ** (2 / 4)),
    *zip(("0.141", "0.990", "0.030", "1.000"), P[3], strict=True),
    ("0.052", math.sin(math.radians(3))),
    *zip(("0.909", "0.416", "0.020", "1.000"), P[2], strict=True),
    *zip(("0.609", "0.484", "0.220", "0.600"), SAT, strict=True),
    *zip(("0.551", "0.278"), QUERY, strict=True),
    # The strips: one column for each token.
    *((f"{abs(value):.2f}", value) for value in [*X.flat, *Q.flat]),
    *((text, softmax(THREE * f)[0]) for text, f in (("0.547", 1), ("0.705", 2), ("0.879", 4))),
    ("0.982", softmax(THREE * 8)[0]),
    ("0.248", softmax(THREE)[0] * (1 - softmax(THREE)[0])),
    ("0.018", softmax(THREE * 8)[0] * (1 - softmax(THREE * 8)[0])),
    ("0.225", SCALED[1] - SCALED[0]),
    ("1.252", WEIGHTS[1] / WEIGHTS[0]),
    ("5.9739", np.exp(SCALED).sum()),
    *zip(("0.0375", "0.2625", "0.1500", "0.2000", "0.2250"), SCALED, strict=True),
    *zip(("1.0382", "1.3002", "1.1618", "1.2214", "1.2523"), np.exp(SCALED), strict=True),
    *zip(("0.1738", "0.2176", "0.1945", "0.2045", "0.2096"), WEIGHTS, strict=True),
    ("0.3426", EVEN_WIDTH[1]),
    ("0.0566", EVEN_WIDTH[0]),
    *zip(("0.332", "0.281", "0.240", "0.336"), BLEND, strict=True),
    *zip(("0.32", "0.28", "0.24", "0.32"), V.mean(axis=0), strict=True),
    *zip(("0.319", "0.303", "0.304", "0.219"), MASKED, strict=True),
    ("0.907", sum(PRINTED)),
    *(("6.6", each) for each in (np.exp(SCALED) / PRINTED)[:4]),
    ("0.190", np.exp(SCALED)[4] / 6.6),
    ("1.77", 2.5 / math.sqrt(2)),
    ("7.90", sum(SLIPPED)),
    ("0.74", SLIPPED[0] / sum(SLIPPED)),
    ("2.718", math.e),
    # Printed in somebody's table, the last but one by rounding e to the power of 1.77.
    *((f"{weight}", weight) for weight in PRINTED),
    ("5.87", math.exp(1.77)),
    ("2.5", np.dot([1, 2], [0.5, 1])),
]
GIVEN = {f"{tenth / 10}" for tenth in range(1, 10)} | {"1.2", "1.5", "1.6", "1.8", "2.1"}


def test_the_lesson_states_the_right_numbers_and_no_others():
    assert wrong_numbers(SHIPPED, [(text, abs(value)) for text, value in STATED], GIVEN) == []


def test_the_lesson_shows_the_numbers_it_works_with():
    for rows in (
        *(W_VOCAB, E, [E[token] for token in IDS], W_Q, V.tolist()),
        *([SCORES.tolist()], [SCALED.tolist()], [SCALED[:3].tolist()]),
        [[2.5, 0, 1], [1.77, 0, 0.71], SLIPPED, [0.74, 0, 0.26]],
    ):
        assert as_written(rows) in SHIPPED.text


def test_only_the_third_row_of_the_slipped_table_does_not_follow():
    q, keys = np.array([1, 2]), np.array([[0.5, 1], [-1, 0.5], [2, -0.5]])
    assert (keys @ q).tolist() == [2.5, 0, 1]
    assert (keys @ q / math.sqrt(2)).round(2).tolist() == [1.77, 0, 0.71]
    assert np.exp([1.77, 0, 0.71]).round(2).tolist() == [5.87, 1, 2.03]
    assert (np.array(SLIPPED) / sum(SLIPPED)).round(2).tolist() == [0.74, 0, 0.26]


def test_the_weights_of_the_wrong_table_come_of_the_right_exponentials():
    """The lesson says that they were all divided by one number other than their sum."""
    divisors = np.array(FIGURES["exp"]) / PRINTED
    assert np.ptp(divisors) < 0.1
    assert abs(divisors - np.exp(SCALED).sum()).min() > 0.5


def test_what_is_drawn_comes_as_often_as_it_says():
    assert (NEXT * 100).round().tolist() == [76, 22, 2]


def test_two_copies_of_a_word_differ_once_positions_are_added():
    inputs = np.array(E)[IDS] + P
    assert E[IDS[0]] == E[IDS[4]]
    assert not np.allclose(inputs[0], inputs[4])


def test_numbers_of_parameters_are_right():
    d, blocks, vocabulary = 768, 12, 50_257
    attention, feed_forward, embedding = 4 * d * d, 2 * d * 4 * d, vocabulary * d
    model = embedding + blocks * (attention + feed_forward)
    for count in (attention, feed_forward, embedding, model, 50_000 * d):
        assert f"{count:,}" in SHIPPED.prose
    assert round(model / 1e6) == 124


def test_the_example_to_play_with_is_attention():
    """Its row of sat prefers cat, and its queries and keys are 2 wide, as the text says."""
    q = [[0.5, 0], [1, -0.5], [0.5, 1.5]]
    k = [[0.2, 0.1], [1, 1.5], [-0.5, 1]]
    assert as_written(q) in SHIPPED.text
    assert as_written(k) in SHIPPED.text
    assert attention_weights(q, k)[2].argmax() == 1


def test_it_has_a_section_for_each_step():
    for number, section in enumerate(SHIPPED.lesson.sections[:7], start=1):
        assert section.title.startswith(f"Step {number}:")
        assert f"::: aside Step {number} in short" in section.body


def strip_row(name, values, write=str):
    """Return a row of a strip, of all six words; *sat* was not compared with the second *the*."""
    cells = [write(value).replace("-", "−") for value in values]
    if len(cells) == 5:
        cells.insert(4, "–")
    return f"| {' | '.join([name, *cells])} |"


def test_a_strip_shows_at_each_step_what_the_sentence_has_become():
    numbers = ("first", "second", "third", "fourth")
    two, four = "{:.2f}".format, "{:.4f}".format
    strips = {
        "IDs": [strip_row("ID", IDS)],
        "vectors": [strip_row(*row, two) for row in zip(numbers, X.T, strict=True)],
        "queries, keys and values": [
            strip_row(*row, two) for row in zip(("$q_1$", "$q_2$"), Q.T, strict=True)
        ],
        "scores": [strip_row("score", SCORES)],
        "scaled scores": [strip_row("scaled", SCALED, four)],
        "weights": [strip_row("weight", WEIGHTS, four)],
        "blends": [
            strip_row(name, ["…", "…", f"{value:.3f}", "…", "…", "…"])
            for name, value in zip(numbers, BLEND, strict=True)
        ],
    }
    bodies = [section.body for section in SHIPPED.lesson.sections[:7]]
    assert all(body.startswith("::: aside The sentence by now: ") for body in bodies)
    for (title, rows), body in zip(strips.items(), [*bodies[1:], bodies[-1]], strict=True):
        strip = body.partition(f"::: aside The sentence by now: {title}\n")[2].partition(":::")[0]
        assert re.findall(r"^\| (?!\|).*", strip, re.M) == rows
