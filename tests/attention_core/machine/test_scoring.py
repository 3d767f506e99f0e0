"""A single score, from its query and key to its weight."""

import numpy as np
import pytest

from attention_core import softmax
from attention_core.errors import AuthorError
from attention_core.machine.model import machine
from attention_core.machine.scoring import score
from attention_core.machine.tokens import tokens_of

READING = machine().read(tokens_of("the keys near the old box"))


def test_the_products_add_up_to_the_score_times_the_root_of_d_k():
    one = score(READING, 2, 0, 6, 2)
    assert np.allclose(one.products, one.q * one.k)
    assert one.dot == pytest.approx(one.products.sum())
    assert one.root == len(one.q) ** 0.5
    assert one.score == pytest.approx(one.dot / one.root)


def test_the_weights_are_the_softmax_of_the_scores_that_are_not_hidden():
    row = [score(READING, 1, 2, 3, to) for to in range(7)]
    assert [one.hidden for one in row] == [False] * 4 + [True] * 3
    assert np.allclose([one.weight for one in row[:4]], softmax([one.score for one in row[:4]]))
    assert [one.weight for one in row[4:]] == [0, 0, 0]


@pytest.mark.parametrize("place", [(3, 0, 0, 0), (0, 4, 0, 0), (0, 0, 7, 0), (0, 0, 0, -1)])
def test_what_is_not_there_has_no_score(place):
    with pytest.raises(AuthorError, match="is from 0 to"):
        score(READING, *place)
