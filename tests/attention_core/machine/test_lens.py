"""The machine's predictions if it stopped at an earlier layer."""

import numpy as np

from attention_core.machine.lens import lens
from attention_core.machine.measures import draw_held_out
from attention_core.machine.model import machine
from attention_core.machine.tokens import tokens_of

TEXT = tokens_of("paris is the capital of")


def test_after_the_last_layer_it_says_what_the_machine_says():
    reading = machine().read(TEXT)
    found = lens(machine(), reading)
    assert found.shape == (len(machine().layers) + 1, *reading.logits.shape)
    assert np.allclose(found[-1, -1], reading.probabilities())
    assert np.allclose(found.sum(axis=-1), 1)


def test_before_the_first_layer_most_tokens_name_themselves():
    named = []
    for sentence in draw_held_out(7, 50):
        first = lens(machine(), machine().read(sentence.words))[0]
        words = [machine().vocabulary[n] for n in first.argmax(axis=-1)]
        named += [word == token for word, token in zip(words, sentence.words, strict=True)]
    assert sum(named) > 2 / 3 * len(named)
