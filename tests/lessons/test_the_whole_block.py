"""Every number that lesson 5 states, computed again."""

import math
from functools import partial

import numpy as np
import pytest

from attention_core import (
    attention,
    attention_scores,
    attention_weights,
    encoder_block,
    feed_forward,
    gated_feed_forward,
    layer_norm,
    relu,
    rms_norm,
    silu,
)
from attention_core.machine.lens import lens
from attention_core.machine.model import machine
from attention_core.machine.tokens import tokens_of
from tests.lessons.shipped import as_written, shipped, wrong_numbers

SHIPPED = shipped("the-whole-block")
norm = partial(layer_norm, epsilon=0)

SUM = np.array([1, -0.5, 2, 0.5]) + [0.5, 0.5, -1, 1]
x, W = np.array([1, 0, 2]), [[0.5, 0, 0], [0, -0.5, 1], [0.5, 0, 0.5]]
TOTAL = x + x @ W
TOKEN = np.array([1, -0.5])
FEED = [[1, -0.5, 0.5], [0, 1, -1]], [[0.5, -1], [2, 1], [1, 0.4]]
FEED_BIASES = np.array([0.2, 0, -0.5]), np.array([0.1, 0])
GATED = [[1, -1], [0.4, 1]], [[0.5, 1], [-1, 0.4]], [[1, 0.5], [-1, 2]]
GATE, PASSING = silu(TOKEN @ GATED[0]), TOKEN @ GATED[1]

X = np.array([[1, 0.5, -0.5], [-0.5, 1, 1]])
W_1 = [[1, 0, -1, 0.5], [0, 1, 0.5, -1], [0.5, -0.5, 1, 0]]
W_2 = [[0.5, 0, -0.5], [0, 1, 0], [-1, 0.5, 0], [1, 0, 0.5]]
b_1, b_2 = np.array([0, 0.5, -0.5, 0]), np.array([0, -0.5, 0.2])
ATTENDED = attention(X, X, X)
FIRST_SUM = X + ATTENDED
H = norm(FIRST_SUM)
HIDDEN = H @ W_1 + b_1
FED = relu(HIDDEN) @ W_2 + b_2
SECOND_SUM = H + FED

READING = machine().read(tokens_of("the capital of france is"))
AT_FRANCE = READING.weights[-1, 1:, -1, READING.tokens.index("france")]

STATED = [
    ("0.0008", 0.8**32),
    *zip(("1.5", "1.5"), SUM[[0, 3]], strict=True),
    ("0.375", SUM.var()),
    ("0.612", SUM.std()),
    *zip(("0.816", "1.633", "0.816"), norm(SUM)[[0, 1, 3]], strict=True),
    ("2.25", SUM[0] ** 2),
    ("1.375", (SUM**2).mean()),
    ("1.173", math.sqrt((SUM**2).mean())),
    *zip(("1.279", "0.853"), rms_norm(SUM, epsilon=0)[[0, 2]], strict=True),
    ("1.2", feed_forward(TOKEN, *FEED, b_1=FEED_BIASES[0], b_2=FEED_BIASES[1])[0]),
    *zip(("0.552", "0.274"), GATE, strict=True),
    *zip(("0.552", "0.219"), GATE * PASSING, strict=True),
    *zip(("0.771", "0.162"), gated_feed_forward(TOKEN, *GATED), strict=True),
    ("0.816", x.std()),
    ("1.225", norm(x)[2]),
    *zip(("0.612", "0.612", "0.612"), norm(x) @ W, strict=True),
    *zip(("1.612", "0.612", "1.388"), x + norm(x) @ W, strict=True),
    ("2.5", TOTAL[0]),
    ("1.833", TOTAL.mean()),
    ("1.312", TOTAL.std()),
    *zip(("0.508", "1.397", "0.889"), norm(TOTAL), strict=True),
    *zip(("0.866", "0.289"), attention_scores(X, X)[0], strict=True),
    *zip(("0.760", "0.240"), attention_weights(X, X)[0], strict=True),
    *zip(("0.641", "0.620", "0.141"), ATTENDED[0], strict=True),
    *zip(("1.641", "1.120", "0.641"), FIRST_SUM[0], strict=True),
    *zip(("0.707", "0.976"), (FIRST_SUM[0].mean(), FIRST_SUM[0].std()), strict=True),
    *zip(("0.957", "0.423", "1.380"), H[0], strict=True),
    *zip(("0.267", "1.613", "2.625", "0.055"), HIDDEN[0], strict=True),
    *zip(("0.188", "1.113", "0.094"), FED[0], strict=True),
    *zip(("1.145", "1.537", "1.286"), SECOND_SUM[0], strict=True),
    *zip(("0.465", "1.249"), (SECOND_SUM[0].mean(), SECOND_SUM[0].std()), strict=True),
    *zip(("0.545", "0.858", "1.403"), norm(SECOND_SUM)[0], strict=True),
    *zip(("0.85", "0.82", "0.95"), AT_FRANCE, strict=True),
]
GIVEN = {f"{tenth / 10}" for tenth in range(1, 10)}


def test_the_lesson_states_the_right_numbers_and_no_others():
    assert wrong_numbers(SHIPPED, [(text, abs(value)) for text, value in STATED], GIVEN) == []


def test_the_lesson_shows_the_numbers_it_works_with():
    for rows in (W, *FEED, *GATED, X.tolist(), W_1, W_2):
        assert as_written(rows) in SHIPPED.text


def test_the_block_by_hand_is_the_block_of_the_core():
    feed = partial(feed_forward, W_1=W_1, W_2=W_2, b_1=b_1, b_2=b_2)
    whole = encoder_block(X, lambda x: attention(x, x, x), feed, first_norm=norm, second_norm=norm)
    assert np.allclose(whole, norm(SECOND_SUM))


def test_whole_numbers_of_the_worked_layers_are_right():
    inner = TOKEN @ FEED[0] + FEED_BIASES[0]
    assert np.allclose(inner, [1.2, -1, 0.5])
    assert np.allclose(relu(inner) @ FEED[1] + FEED_BIASES[1], [1.2, -1])
    assert np.allclose(inner @ FEED[1] + FEED_BIASES[1], [-0.8, -2])
    assert np.allclose(TOKEN @ GATED[0], [0.8, -1.5])
    assert np.allclose(PASSING, [1, 0.8])
    assert np.allclose(x @ W, [1.5, 0, 1])
    assert np.allclose(TOTAL, [2.5, 0, 3])
    assert np.allclose(rms_norm([3, 3, 3, 3], epsilon=0), 1)


def test_numbers_of_parameters_are_right():
    d, inner, blocks, vocabulary = 4096, 11_008, 32, 32_000
    model = blocks * (4 * d * d + 3 * d * inner) + 2 * vocabulary * d
    for count in (3 * d * inner, 2 * d * 4 * d, model):
        assert f"{count:,}" in SHIPPED.prose
    norms = (2 * blocks + 1) * d
    assert 200_000 < norms < 300_000


def test_feed_forward_takes_as_much_of_a_block_as_the_lesson_says():
    d, inner, queries, keys = 4096, 14_336, 32, 8  # Llama 3 8B
    attending, feeding = 2 * d * d * (1 + keys / queries), 3 * d * inner
    assert feeding / (attending + feeding) == pytest.approx(4 / 5, abs=0.01)
    assert "8B (2024) it takes four fifths" in " ".join(SHIPPED.prose.split())


def test_the_lens_reads_off_the_machine_what_the_lesson_shows():
    words = [machine().vocabulary.index(word) for word in ("is", "to", "paris", "madrid")]
    after = lens(machine(), READING)[:, -1]
    assert as_written(after[:, words].round(3)) in SHIPPED.text
    assert [machine().vocabulary[n] for n in after.argmax(axis=-1)] == ["is", "is", "to", "paris"]
    (other,) = READING.weights[-1, :1, -1, READING.tokens.index("france")]
    assert other < 0.1
