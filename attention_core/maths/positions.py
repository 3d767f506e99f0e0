"""Positional encodings: sinusoidal ones, which are added, and rotary ones, which turn pairs.

Shapes: T tokens, d the width of a vector, p of its pairs that are turned.
"""

from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from attention_core.errors import AuthorError, ShapeError
from attention_core.maths.arrays import Array, joint_shape, matrix, real

type Layout = Literal["interleaved", "halves"]


def sinusoidal_positions(positions: ArrayLike, width: int, *, base: float = 10_000.0) -> Array:
    """Return PE(pos, 2i) = sin(pos / 10000^(2i/d)), PE(pos, 2i + 1) = cos(pos / 10000^(2i/d)).

    Args:
        positions: (...) where the tokens stand; the first position of a sentence is 0.
        width: d, even.
        base: 10000 in the paper.

    Returns:
        (..., d) vectors, to be added to the embeddings.

    Raises:
        ShapeError: the width is odd or below 2.

    Source: Vaswani et al. (2017), "Attention Is All You Need", section 3.5.

    >>> sinusoidal_positions(0, 4).tolist()
    [0.0, 1.0, 0.0, 1.0]
    >>> sinusoidal_positions([0, 1], 2).round(4).tolist()
    [[0.0, 1.0], [0.8415, 0.5403]]
    """
    angles = _angles(positions, width, base)
    return np.stack([np.sin(angles), np.cos(angles)], axis=-1).reshape(*angles.shape[:-1], width)


def rotary_positions(
    x: ArrayLike,
    positions: ArrayLike | None = None,
    *,
    width: int | None = None,
    base: float = 10_000.0,
    layout: Layout = "interleaved",
) -> Array:
    """Turn each pair of places i of each token by the angle pos / 10000^(2i/d).

    The dot product of a query and a key then depends only on how far apart they stand.

    Args:
        x: (..., T, d) queries or keys.
        positions: (..., T) where the tokens stand; 0 to T − 1 unless given.
        width: how many places are turned, even; all d unless given. The others stay.
        base: 10000 in the paper.
        layout: which places make a pair. "interleaved": 2i and 2i + 1, as in the paper;
            "halves": i and i + width/2, as in GPT-NeoX.

    Returns:
        (..., T, d) vectors of the lengths they had.

    Raises:
        ShapeError: the width is odd or more than d, or the positions do not broadcast.

    Source: Su et al. (2021), "RoFormer: Enhanced Transformer with Rotary Position Embedding",
    section 3.2.2, equations 15 and 34.

    >>> rotary_positions([[1.0, 0.0], [1.0, 0.0]]).round(4).tolist()
    [[1.0, 0.0], [0.5403, 0.8415]]
    >>> rotary_positions([[1.0, 0.0, 0.0, 5.0]], [1], width=2).round(4).tolist()
    [[0.5403, 0.8415, 0.0, 5.0]]
    """
    x = matrix("x", x)
    angles = _angles(
        np.arange(x.shape[-2]) if positions is None else positions,
        x.shape[-1] if width is None else width,
        base,
    ).astype(x.dtype, copy=False)
    return turn_pairs(x, np.cos(angles), np.sin(angles), layout=layout)


def turn_pairs(
    x: ArrayLike, cosines: ArrayLike, sines: ArrayLike, *, layout: Layout = "interleaved"
) -> Array:
    """Turn pairs of places by angles whose cosines and sines are given.

    Args:
        x: (..., T, d) vectors.
        cosines, sines: (..., T, p) of the angle of each pair. The first 2p places are turned,
            the others stay.
        layout: as for `rotary_positions`.

    Returns:
        (..., T, d) vectors.

    Raises:
        ShapeError: cosines and sines differ in shape, 2p is more than d, or they do not
            broadcast to the tokens of x.
        AuthorError: there is no such layout.

    Source: as for `rotary_positions`.

    >>> turn_pairs([[1.0, 2.0, 3.0, 4.0]], [[0.0, 1.0]], [[1.0, 0.0]]).tolist()
    [[-2.0, 1.0, 3.0, 4.0]]
    >>> turn_pairs([[1.0, 2.0, 3.0, 4.0]], [[0.0, 1.0]], [[1.0, 0.0]], layout="halves").tolist()
    [[-3.0, 2.0, 1.0, 4.0]]
    """
    x, cosines, sines = matrix("x", x), real(cosines), real(sines)
    if cosines.shape != sines.shape or cosines.ndim == 0 or 2 * cosines.shape[-1] > x.shape[-1]:
        raise ShapeError(
            f"cosines and sines must be (..., T, p) with 2p at most {x.shape[-1]}, the width of x: "
            f"cosines have shape {cosines.shape}, sines {sines.shape}"
        )
    tokens = joint_shape("tokens", {"x": x.shape[:-1], "cosines": cosines.shape[:-1]})
    p = cosines.shape[-1]
    match layout:
        case "interleaved":
            first, second = slice(0, 2 * p, 2), slice(1, 2 * p, 2)
        case "halves":
            first, second = slice(0, p), slice(p, 2 * p)
        case _:
            raise AuthorError(f'a layout is "interleaved" or "halves"; it was {layout!r}')
    turned = np.broadcast_to(x, (*tokens, x.shape[-1])).copy()
    turned[..., first] = cosines * x[..., first] - sines * x[..., second]
    turned[..., second] = sines * x[..., first] + cosines * x[..., second]
    return turned


def _angles(positions: ArrayLike, width: int, base: float) -> Array:
    """Return the angle of each pair at each position: (..., width/2)."""
    if width < 2 or width % 2:
        raise ShapeError(f"positions come in pairs of places: the width {width} must be even")
    pairs = np.arange(0, width, 2)
    return np.asarray(real(positions)[..., None] / base ** (pairs / width))
