"""Single scores of a head with their parts, and a head's map from scores to weights."""

import math
from dataclasses import dataclass

import numpy as np

from attention_core.errors import AuthorError
from attention_core.machine.model import LayerReading, Reading
from attention_core.maths.arrays import Array


@dataclass(frozen=True)
class Score:
    """A score with its parts, and the weight it leads to.

    Attributes:
        q: (d_k,) the query of the token that looks.
        k: (d_k,) the key of the token that is looked at.
        products: (d_k,) the products of q and k, place by place.
        dot: q·k, their sum.
        root: √d_k.
        score: q·k/√d_k.
        weight: its softmax in the row; 0 where `hidden`.
        hidden: whether the token lies ahead, so that the causal mask hides it.
    """

    q: Array
    k: Array
    products: Array
    dot: float
    root: float
    score: float
    weight: float
    hidden: bool


def score(reading: Reading, layer: int, head: int, at: int, to: int) -> Score:
    """Return the score of the token `at` for the token `to`, in one head of one layer.

    Raises:
        AuthorError: there is no such layer, head or token.

    >>> from attention_core.machine.model import machine
    >>> one = score(machine().read(("<start>", "the", "king")), 1, 0, 2, 1)
    >>> bool(abs(one.dot / one.root - one.score) < 1e-12), one.hidden
    (True, False)
    """
    _, _, T, _ = reading.weights.shape
    _require(at=(at, T), to=(to, T))
    found = _layer(reading, layer, head)
    q, k = found.Q[head, at], found.K[head, to]
    return Score(
        q=q,
        k=k,
        products=q * k,
        dot=float(q @ k),
        root=math.sqrt(len(q)),
        score=float(found.scores[head, at, to]),
        weight=float(found.weights[head, at, to]),
        hidden=to > at,
    )


def score_maps(reading: Reading, layer: int, head: int) -> tuple[Array, Array, Array]:
    """Return the three maps of one head, each (T, T).

    They are QKᵀ, QKᵀ/√d_k with −∞ where the mask hides tokens ahead, and the weights.

    Raises:
        AuthorError: there is no such layer or head.

    >>> from attention_core.machine.model import machine
    >>> dots, masked, weights = score_maps(machine().read(("<start>", "the", "king")), 1, 0)
    >>> bool(np.isinf(masked[0, 1])), bool(weights[0, 0] == 1)
    (True, True)
    """
    found = _layer(reading, layer, head)
    Q, K, scores = found.Q[head], found.K[head], found.scores[head]
    hidden = np.triu(np.ones(scores.shape, dtype=bool), k=1)
    return Q @ K.T, np.where(hidden, -np.inf, scores), found.weights[head]


def _layer(reading: Reading, layer: int, head: int) -> LayerReading:
    layers, heads, _, _ = reading.weights.shape
    _require(layer=(layer, layers), head=(head, heads))
    return reading.layers[layer]


def _require(**places: tuple[int, int]) -> None:
    for name, (place, count) in places.items():
        if not 0 <= place < count:
            raise AuthorError(f"{name} is from 0 to {count - 1}; it was {place}")
