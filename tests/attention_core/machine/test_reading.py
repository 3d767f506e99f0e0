"""The machine computes PyTorch's numbers by the functions that all lessons use."""

from functools import partial
from pathlib import Path

import numpy as np
import pytest

from attention_core import encoder_block, feed_forward, layer_norm, multi_head_attention, softmax
from attention_core.errors import AuthorError
from attention_core.machine.model import WEIGHTS, build_machine, machine
from attention_core.machine.tokens import tokens_of
from attention_core.machine.words import VOCABULARY

REFERENCE = np.load(Path(__file__).with_name("logits.npz"))
TEXT = tokens_of("anna has a ball and tom has a cup so she gives the")


@pytest.mark.parametrize("n", range(len(REFERENCE["rows"])))
def test_the_logits_are_those_of_pytorch(n):
    row = REFERENCE["rows"][n]
    tokens = [VOCABULARY[word] for word in row[row >= 0]]
    logits = machine().read(tokens).logits
    assert np.abs(logits - REFERENCE["logits"][n, : len(tokens)]).max() < 1e-5


def test_taken_apart_it_is_the_block_that_the_lessons_teach():
    """The blocks are pre-norm `multi_head_attention` and `feed_forward`, and nothing else."""
    model, reading = machine(), machine().read(TEXT)
    X = reading.streams[0]
    for layer, after in zip(model.layers, reading.streams[1:], strict=True):
        n = layer.numbers
        attend = partial(
            multi_head_attention,
            **{name: n[name] for name in ("W_Q", "W_K", "W_V", "W_O")},
            heads=layer.heads,
            causal=True,
        )
        feed = partial(feed_forward, W_1=n["W_1"], W_2=n["W_2"], b_1=n["b_1"], b_2=n["b_2"])
        first = partial(layer_norm, gain=n["first_gain"], shift=n["first_shift"])
        second = partial(layer_norm, gain=n["second_gain"], shift=n["second_shift"])
        X = encoder_block(X, attend, feed, first_norm=first, second_norm=second, pre_norm=True)
        assert np.allclose(X, after, atol=1e-12)
    logits = layer_norm(X, model.norm_gain, model.norm_shift) @ model.embedding.T
    assert np.allclose(logits, reading.logits, atol=1e-12)


def test_every_number_on_the_way_has_its_shape_and_adds_up():
    model, reading = machine(), machine().read(TEXT)
    T, d, h = len(TEXT), model.width, model.heads
    assert reading.embedded.shape == reading.positions.shape == (T, d)
    assert reading.logits.shape == (T, len(VOCABULARY))
    assert reading.weights.shape == (len(model.layers), h, T, T)
    for before, layer in zip(reading.streams, reading.layers, strict=False):
        for part in (layer.Q, layer.K, layer.V, layer.found):
            assert part.shape == (h, T, d // h)
        assert np.allclose(layer.scores, layer.Q @ layer.K.swapaxes(1, 2) / (d // h) ** 0.5)
        assert np.allclose(layer.found, layer.weights @ layer.V)
        assert np.allclose(layer.middle, before + layer.attended)
        assert np.allclose(layer.output, layer.middle + layer.fed)


def test_probabilities_are_the_softmax_of_the_last_row():
    reading = machine().read(TEXT)
    assert np.allclose(reading.probabilities(), softmax(reading.logits[-1]))
    assert (reading.probabilities(top_k=3) > 0).sum() == 3
    assert reading.probabilities(temperature=0.2).max() > reading.probabilities().max()


def test_numbers_learnt_for_other_words_are_refused():
    numbers = dict(np.load(WEIGHTS))
    numbers["vocabulary"] = numbers["vocabulary"][::-1]
    with pytest.raises(AuthorError, match="train again"):
        build_machine(numbers)


def test_what_ships_is_small():
    learnt = WEIGHTS.parent
    assert WEIGHTS.stat().st_size < 400_000
    assert sum(file.stat().st_size for file in learnt.iterdir()) < 400_000 + 1_000_000
