"""The effect of a part is found by removing it; its weight does not show it."""

import numpy as np
import pytest

from attention_core.errors import AuthorError, ShapeError
from attention_core.machine.effects import effects, effects_of_tokens, probability_moved
from attention_core.machine.model import Change, machine
from attention_core.machine.tokens import tokens_of

TEXT = tokens_of("the keys near the old box")
REPEATED = tokens_of("mary says red dog two and jack says red")


def test_what_moved_lies_between_nothing_and_all():
    assert probability_moved([0.2, 0.8], [0.2, 0.8]) == 0
    assert probability_moved([1.0, 0.0], [0.0, 1.0]) == 1
    with pytest.raises(ShapeError):
        probability_moved([1.0], [0.5, 0.5])


def test_a_silent_head_adds_nothing():
    before = machine().read(TEXT).layers[0]
    after = machine().read(TEXT, change=Change(heads=frozenset({(0, 2)}))).layers[0]
    W_O, d_k = machine().layers[0].numbers["W_O"], machine().width // machine().heads
    its_part = before.found[2] @ W_O[2 * d_k : 3 * d_k]
    assert np.allclose(before.attended - after.attended, its_part)
    assert np.allclose(before.weights, after.weights)


def test_an_empty_value_is_looked_at_as_before_and_gives_nothing():
    before = machine().read(TEXT).layers[1]
    change = Change(values=frozenset({(2, 1, 3)}))
    after = machine().read(TEXT, change=change).layers[1]
    assert np.allclose(before.weights, after.weights)
    assert not after.V[3, 2].any()
    assert np.allclose(before.V[:3], after.V[:3])
    lost = before.weights[3, :, 2][:, None] * before.V[3, 2]
    assert np.allclose(before.found[3] - after.found[3], lost)


def test_a_head_that_is_silent_is_one_whose_values_are_all_empty():
    last = len(machine().layers) - 1
    places = frozenset((place, last, 1) for place in range(len(TEXT)))
    silent = machine().read(TEXT, change=Change(heads=frozenset({(last, 1)})))
    empty = machine().read(TEXT, change=Change(values=places))
    assert np.allclose(silent.logits, empty.logits)


def test_all_heads_and_values_are_tried():
    found, model = effects(machine(), TEXT), machine()
    shape = (len(model.layers), model.heads, len(TEXT))
    assert found.weights.shape == found.values.shape == shape
    assert found.heads.shape == shape[:2]
    assert (found.heads > 0).all()
    before = model.read(TEXT).probabilities()
    after = model.read(TEXT, change=Change(heads=frozenset({(2, 0)}))).probabilities()
    assert found.heads[2, 0] == pytest.approx(np.abs(after - before).sum() / 2)


def test_a_weight_is_not_an_effect():
    """One head puts most of its weight on a word that it can do without.

    Another head's weight, hardly greater, decides what comes next.
    """
    found = effects(machine(), REPEATED)
    idle, decides = (1, 3, 8), (2, 2, 4)
    assert abs(found.weights[idle] - found.weights[decides]) < 0.05
    assert found.values[idle] < 0.01
    assert found.values[decides] > 0.5


def test_a_word_with_hardly_any_weight_may_matter_more():
    found = effects(machine(), REPEATED)
    idle, light = (1, 3, 8), (0, 2, 2)
    assert found.weights[light] < 0.02 < 0.5 < found.weights[idle]
    assert found.values[light] > 100 * found.values[idle]


def test_nor_does_a_word_with_more_weight_matter_more():
    weights, moves = effects_of_tokens(machine(), REPEATED)
    matters, heavier = REPEATED.index("says"), REPEATED.index("and")
    assert weights[heavier] > 3 * weights[matters]
    assert moves[matters] > 0.9
    assert moves[heavier] < 0.01


def test_what_is_not_there_cannot_be_taken_away():
    for change in (
        Change(heads=frozenset({(0, 9)})),
        Change(heads=frozenset({(3, 0)})),
        Change(values=frozenset({(len(TEXT), 0, 0)})),
        Change(values=frozenset({(0, -1, 0)})),
    ):
        with pytest.raises(AuthorError):
            machine().read(TEXT, change=change)
