"""Random numbers and words from a stream of bytes that never changes on any machine.

NumPy promises no stable streams between releases; SHAKE-256 does not change.
"""

import hashlib
import json
from collections.abc import Mapping, Sequence
from itertools import pairwise

import numpy as np

from attention_core.maths.arrays import Array
from attention_core.problems.sentences import SENTENCES

_BYTES_PER_DRAW = 8


class Stream:
    """An endless stream of draws, determined by the names it is opened with."""

    def __init__(self, *names: object) -> None:
        self._seed = json.dumps(names, sort_keys=True, separators=(",", ":")).encode()
        self._bytes = b""
        self._taken = 0

    def below(self, n: int) -> int:
        """Draw a whole number from 0 to n − 1; the bias of the remainder is below 2⁻⁴⁰."""
        self._taken += _BYTES_PER_DRAW
        if self._taken > len(self._bytes):
            # A longer digest begins with the shorter one, so growing it changes no draw.
            self._bytes = hashlib.shake_256(self._seed).digest(max(512, 2 * self._taken))
        drawn = self._bytes[self._taken - _BYTES_PER_DRAW : self._taken]
        return int.from_bytes(drawn) % n

    def choice[T](self, items: Sequence[T]) -> T:
        """Draw one of the items."""
        return items[self.below(len(items))]

    def tenths(self, *shape: int, low: float = -2.0, high: float = 2.0) -> Array:
        """Draw an array of numbers with one decimal, from low to high, both included."""
        return self._parts(10, shape, low, high)

    def hundredths(self, *shape: int, low: float = -2.0, high: float = 2.0) -> Array:
        """Draw an array of numbers with two decimals: for rows of two, as tenths make too few."""
        return self._parts(100, shape, low, high)

    def _parts(self, of_one: int, shape: tuple[int, ...], low: float, high: float) -> Array:
        first, last = round(low * of_one), round(high * of_one)
        count = int(np.prod(shape))
        drawn = [first + self.below(last - first + 1) for _ in range(count)]
        return np.array(drawn, dtype=np.float64).reshape(shape) / of_one

    def shuffled(self, n: int) -> list[int]:
        """Draw an order of the numbers from 0 to n − 1."""
        left = list(range(n))
        return [left.pop(self.below(len(left))) for _ in range(n)]

    def lopsided(self, n: int, largest: float = 2.0) -> Array:
        """Draw n numbers with one decimal, one of which lies far from the others.

        Their mean is then not 0, and their deviation neither small nor 1, so that a norm shows.
        """
        drawn = self.tenths(n, low=largest / 5, high=largest)
        drawn[self.below(n)] = self.tenths(low=-largest, high=-largest / 2)
        return self.choice((1, -1)) * drawn

    def scores(self, tokens: int) -> Array:
        """Draw scores of each word with each; those of a word with itself are not negative.

        No row, and no column taken for one, is then all negative: every exponential would be
        below 1, and rounding them would ruin the weights.
        """
        drawn = self.tenths(tokens, tokens)
        np.fill_diagonal(drawn, np.abs(drawn.diagonal()))
        return drawn

    def shares(self, n: int) -> Array:
        """Draw n weights with two decimals, each at least 0.05, that sum to 1."""
        cuts = sorted(self.below(100 - 5 * n + 1) for _ in range(n - 1))
        edges = [0, *cuts, 100 - 5 * n]
        return np.array([5 + b - a for a, b in pairwise(edges)]) / 100

    def sentence(self, tokens: int) -> tuple[str, ...]:
        """Draw a small real sentence of so many words."""
        return self.choice(SENTENCES[tokens])

    def word_pair(self) -> tuple[str, str]:
        """Draw two different words of one sentence of four."""
        words = self.sentence(4)
        first = self.below(len(words))
        second = (first + 1 + self.below(len(words) - 1)) % len(words)
        return words[first], words[second]


def align_keys(keys: Array, queries: Array) -> Array:
    """Return the keys, negated where their score with their word's query is below 0.

    >>> align_keys(np.array([[1.0, -2.0]]), np.array([[1.0, 1.0]])).tolist()
    [[-1.0, 2.0]]
    """
    suits = np.vecdot(queries, keys)[..., None] >= 0
    return np.where(suits, keys, 0 - keys)


def open_stream(key: str, version: int, options: Mapping[str, int], seed: str, draw: int) -> Stream:
    """Return the stream that the draw-th try at a variant is drawn from.

    >>> open_stream("cosine", 1, {"width": 2}, "7", 0).tenths(3).tolist()
    [-1.2, -0.8, 0.3]
    """
    return Stream(key, version, dict(options), seed, draw)
