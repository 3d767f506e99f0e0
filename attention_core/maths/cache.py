"""The key–value cache, which saves computing earlier tokens again."""

import numpy as np
from numpy.typing import ArrayLike

from attention_core.errors import ShapeError
from attention_core.maths.arrays import Array, matrix


class KeyValueCache:
    """The keys and values of all tokens so far, so that a new token costs one row, not T.

    >>> cache = KeyValueCache()
    >>> K, V = cache.extend([[1.0]], [[10.0]])
    >>> K, V = cache.extend([[2.0]], [[20.0]])
    >>> K.tolist(), V.tolist(), cache.tokens
    ([[1.0], [2.0]], [[10.0], [20.0]], 2)
    """

    def __init__(self) -> None:
        self._past: tuple[Array, Array] | None = None

    @property
    def tokens(self) -> int:
        """The number of tokens in the cache: the position of the next one."""
        return 0 if self._past is None else int(self._past[0].shape[-2])

    @property
    def bytes(self) -> int:
        """The memory that the keys and values take, in bytes.

        >>> cache = KeyValueCache()
        >>> _ = cache.extend([[1.0, 2.0]], [[10.0, 20.0]])
        >>> cache.bytes  # four numbers of eight bytes
        32
        """
        return 0 if self._past is None else sum(past.nbytes for past in self._past)

    def extend(self, K: ArrayLike, V: ArrayLike) -> tuple[Array, Array]:
        """Append new keys and values. Return all of them.

        Args:
            K: (..., T, d_k) keys of the new tokens.
            V: (..., T, d_v) values of the new tokens.

        Returns:
            (..., S, d_k) keys and (..., S, d_v) values of all tokens so far.

        Raises:
            ShapeError: K and V differ in their number of tokens, or differ from the cached ones
                in width or batch axes.
        """
        new = matrix("K", K), matrix("V", V)
        if new[0].shape[-2] != new[1].shape[-2]:
            raise ShapeError(
                f"every key needs a value: K has shape {new[0].shape}, V has shape {new[1].shape}"
            )
        if self._past is None:
            self._past = new
            return new
        for name, past, added in zip("KV", self._past, new, strict=True):
            if (past.shape[:-2], past.shape[-1]) != (added.shape[:-2], added.shape[-1]):
                raise ShapeError(
                    f"{name} has shape {added.shape}, and cannot follow what is held: {past.shape}"
                )
        K, V = (
            np.concatenate([past, added], axis=-2)
            for past, added in zip(self._past, new, strict=True)
        )
        self._past = K, V
        return self._past
