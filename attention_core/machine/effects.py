"""Effects of heads and values on the next word, found by ablation: a weight is no effect."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from attention_core.errors import ShapeError
from attention_core.machine.model import Change, Machine
from attention_core.maths.arrays import Array, real


def probability_moved(before: ArrayLike, after: ArrayLike) -> Array:
    """Return how much probability moved: half the sum of all absolute differences.

    Args:
        before, after: (..., V) summing to 1.

    Returns:
        (...) from 0, where nothing changed, to 1, where nothing stayed.

    Raises:
        ShapeError: their shapes differ.

    >>> probability_moved([0.5, 0.5, 0.0], [0.25, 0.5, 0.25]).tolist()
    0.25
    """
    before, after = real(before), real(after)
    if before.shape != after.shape:
        raise ShapeError(f"before has shape {before.shape}, after {after.shape}")
    return np.asarray(np.abs(after - before).sum(axis=-1) / 2)


@dataclass(frozen=True)
class Effects:
    """Effects of each head on the next word, beside its weights at the last token.

    Attributes:
        weights: (layers, h, T) the weight that the last token gives to each token.
        heads: (layers, h) how much of the next word's probability moves without the head.
        values: (layers, h, T) how much moves when the head finds one token's value empty.
    """

    weights: Array
    heads: Array
    values: Array


def effects(machine: Machine, tokens: Sequence[str]) -> Effects:
    """Silence each head, and empty each value of each head, one at a time.

    Raises:
        As for `Machine.read`.

    >>> from attention_core.machine.model import machine
    >>> effects(machine(), ("<start>", "the")).values.shape[-1]
    2
    """
    whole = machine.read(tokens)
    before = whole.probabilities()

    def effect(change: Change) -> float:
        return float(probability_moved(before, machine.read(tokens, change=change).probabilities()))

    weights = whole.weights[:, :, -1]
    heads, values = np.zeros(weights.shape[:2]), np.zeros(weights.shape)
    for n, head in np.ndindex(*heads.shape):
        heads[n, head] = effect(Change(heads=frozenset({(n, head)})))
        for place in range(len(tokens)):
            values[n, head, place] = effect(Change(values=frozenset({(place, n, head)})))
    return Effects(weights, heads, values)


def effects_of_tokens(machine: Machine, tokens: Sequence[str]) -> tuple[Array, Array]:
    """Return the last token's weights, averaged over all heads, and the effect of each token.

    The effect is how much of the next word's probability moves when all heads find nothing there.

    Returns:
        (T,) weights and (T,) moved.

    Raises:
        As for `Machine.read`.

    >>> from attention_core.machine.model import machine
    >>> weights, moves = effects_of_tokens(machine(), ("<start>", "the", "king"))
    >>> bool(abs(weights.sum() - 1) < 1e-9), moves.shape
    (True, (3,))
    """
    whole = machine.read(tokens)
    without = [
        machine.read(tokens, change=machine.empty_token(place)).probabilities()
        for place in range(len(tokens))
    ]
    return whole.weights[:, :, -1].mean(axis=(0, 1)), probability_moved(
        np.broadcast_to(whole.probabilities(), (len(tokens), len(machine.vocabulary))), without
    )
