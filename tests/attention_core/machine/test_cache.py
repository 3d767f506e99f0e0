"""The machine's cache: the same numbers row by row, and the memory that it takes."""

from itertools import pairwise

import numpy as np
import pytest

from attention_core.errors import TooManyWords
from attention_core.machine.model import Change, machine
from attention_core.machine.tokens import tokens_of

TEXT = tokens_of("mary says red dog two and jack says red dog two .")


@pytest.mark.parametrize("cuts", [range(1, len(TEXT)), (4,), (1, 2, 9)])
def test_read_piece_by_piece_it_computes_the_same(cuts):
    whole, memory, rows = machine().read(TEXT), machine().memory(), []
    edges = [0, *cuts, len(TEXT)]
    for start, end in pairwise(edges):
        reading = machine().read(TEXT[start:end], memory=memory)
        rows.append(reading.logits)
        assert np.allclose(reading.weights, whole.weights[:, :, start:end, :end], atol=1e-12)
    assert np.allclose(np.concatenate(rows), whole.logits, atol=1e-12)


def test_it_grows_by_a_key_and_a_value_a_token_in_each_layer():
    model, memory = machine(), machine().memory()
    assert (memory.tokens, memory.bytes) == (0, 0)
    each = 2 * len(model.layers) * model.width * 8
    for n, token in enumerate(TEXT, 1):
        model.read((token,), memory=memory)
        assert (memory.tokens, memory.bytes) == (n, n * each)


def test_a_change_reaches_through_it():
    change = machine().empty_token(3)
    whole, memory = machine().read(TEXT, change=change), machine().memory()
    machine().read(TEXT[:6], memory=memory, change=change)
    rest = machine().read(TEXT[6:], memory=memory, change=change)
    assert np.allclose(rest.logits, whole.logits[6:], atol=1e-12)
    assert not np.allclose(rest.logits, machine().read(TEXT).logits[6:])


def test_it_never_holds_more_than_there_are_positions():
    memory = machine().memory()
    machine().read(("<start>", *["the"] * 23), memory=memory)
    with pytest.raises(TooManyWords):
        machine().read(("the",), memory=memory)
    assert memory.tokens == machine().longest


def test_reading_leaves_nothing_behind():
    before = machine().read(TEXT).logits
    machine().read(TEXT, change=Change(heads=frozenset({(0, 0), (1, 2)})))
    assert np.array_equal(machine().read(TEXT).logits, before)
