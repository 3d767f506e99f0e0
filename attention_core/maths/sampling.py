"""Sampling the next token from logits: temperature, top-k, top-p and the draw itself."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from attention_core.errors import AuthorError, ShapeError
from attention_core.maths.arrays import Array, vector
from attention_core.maths.softmax import softmax


def allowed_tokens(
    probabilities: ArrayLike, *, top_k: int | None = None, top_p: float | None = None
) -> NDArray[np.bool_]:
    """Return which tokens are left to draw from: top-k first, then top-p.

    Args:
        probabilities: (..., V) summing to 1.
        top_k: the k likeliest, the first of equals; all unless given.
        top_p: the fewest that together have at least this much of the probability, the likeliest
            first; all unless given. There is always one.

    Returns:
        (..., V) booleans.

    Raises:
        ShapeError: there are no tokens.
        AuthorError: k is below 1, or p does not lie above 0 and up to 1.

    Source: for top-k Fan, Lewis and Dauphin (2018), "Hierarchical Neural Story Generation",
    section 5.1; for top-p Holtzman et al. (2020), "The Curious Case of Neural Text Degeneration",
    section 3.1.

    >>> allowed_tokens([0.5, 0.1, 0.3, 0.1], top_k=2).tolist()
    [True, False, True, False]
    >>> allowed_tokens([0.5, 0.1, 0.3, 0.1], top_p=0.85).tolist()
    [True, True, True, False]
    """
    probabilities = vector("probabilities", probabilities)
    if top_k is not None and top_k < 1:
        raise AuthorError(f"top-k keeps at least 1 token; it was {top_k}")
    if top_p is not None and not 0 < top_p <= 1:
        raise AuthorError(f"top-p lies above 0 and goes up to 1; it was {top_p}")
    order = np.argsort(-probabilities, axis=-1, kind="stable")
    ranked = np.take_along_axis(probabilities, order, axis=-1)
    stays = np.ones(ranked.shape, dtype=np.bool_)
    if top_k is not None:
        stays[..., top_k:] = False
    if top_p is not None:
        # The tokens left by top-k sum to 1; unrounded, 0.8 + 0.1 would miss a p of 0.9.
        ranked = np.where(stays, ranked, 0)
        ranked = ranked / ranked.sum(axis=-1, keepdims=True)
        before = np.cumsum(ranked, axis=-1) - ranked
        stays &= before.round(12) < top_p
    allowed = np.empty_like(stays)
    np.put_along_axis(allowed, order, stays, axis=-1)
    return allowed


def next_probabilities(
    logits: ArrayLike,
    *,
    temperature: float = 1.0,
    top_k: int | None = None,
    top_p: float | None = None,
) -> Array:
    """Return the next token's probabilities: softmax(logits / temperature), cut, summing to 1.

    Args:
        logits: (..., V).
        temperature: as for `softmax`.
        top_k, top_p: as for `allowed_tokens`, applied after the temperature.

    Returns:
        (..., V) probabilities; 0 for tokens that are cut.

    Raises:
        ShapeError, AuthorError: as for `softmax` and `allowed_tokens`.

    Source: as for `softmax` and `allowed_tokens`.

    >>> next_probabilities(np.log([0.5, 0.3, 0.2]), top_k=2).round(6).tolist()
    [0.625, 0.375, 0.0]
    """
    probabilities = softmax(vector("logits", logits), temperature=temperature)
    kept = np.where(allowed_tokens(probabilities, top_k=top_k, top_p=top_p), probabilities, 0)
    return np.asarray(kept / kept.sum(axis=-1, keepdims=True))


def pick_token(probabilities: ArrayLike, share: float) -> int:
    """Return the first token at which the cumulative probability exceeds a share of the whole.

    Args:
        probabilities: (V,) summing to 1.
        share: at least 0 and below 1, drawn evenly by the caller.

    Raises:
        ShapeError: the probabilities are not (V,).
        AuthorError: there is no such share.

    >>> [pick_token([0.25, 0.0, 0.75], share) for share in (0.0, 0.24, 0.25, 0.99)]
    [0, 0, 2, 2]
    """
    probabilities = vector("probabilities", probabilities)
    if probabilities.ndim != 1:
        raise ShapeError(f"probabilities must be (V,); they have shape {probabilities.shape}")
    if not 0 <= share < 1:
        raise AuthorError(f"a share lies from 0 to below 1; it was {share}")
    ends = np.cumsum(probabilities)
    # Rounding may leave the last end below 1.
    place = np.searchsorted(ends, share * ends[-1], side="right")
    return int(min(place, np.flatnonzero(probabilities)[-1]))
