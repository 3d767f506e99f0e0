"""Steps between positions, counted along every mask that attention knows."""

from collections import deque

import numpy as np
import pytest

from attention_core import path_lengths
from attention_core.errors import ShapeError


def walked(mask: np.ndarray, source: int) -> list[float]:
    """Return the same path lengths by a breadth-first search from one position."""
    lengths = [float("inf")] * len(mask)
    lengths[source], waiting = 0.0, deque([source])
    while waiting:
        here = waiting.popleft()
        for there in np.flatnonzero(mask[:, here]):
            if lengths[there] == float("inf"):
                lengths[there] = lengths[here] + 1
                waiting.append(there)
    return lengths


def test_paths_are_those_of_a_walk():
    masks = np.random.default_rng(2017).random((20, 9, 9)) < 0.25
    found = path_lengths(masks)
    for mask, lengths in zip(masks, found, strict=True):
        assert lengths.T.tolist() == [walked(mask, source) for source in range(9)]


def test_a_mask_that_is_not_square_is_refused():
    with pytest.raises(ShapeError, match=r"\(2, 3\)"):
        path_lengths([[1, 0, 1], [0, 1, 1]])
