"""The block that an encoder stacks: attention, then feed-forward, each with a residual."""

from collections.abc import Callable

from numpy.typing import ArrayLike

from attention_core.errors import ShapeError
from attention_core.maths.arrays import Array, matrix
from attention_core.maths.norms import layer_norm

type Layer = Callable[[Array], Array]


def encoder_block(
    X: ArrayLike,
    attend: Layer,
    feed: Layer,
    *,
    first_norm: Layer = layer_norm,
    second_norm: Layer = layer_norm,
    pre_norm: bool = False,
) -> Array:
    """Return the tokens after one block of an encoder, post-norm or pre-norm.

    Post-norm: H = Norm(X + Attend(X)), then Norm(H + Feed(H)).
    Pre-norm: H = X + Attend(Norm(X)), then H + Feed(Norm(H)).

    The parts are functions of (..., T, d) tokens that keep their shape; `functools.partial` gives
    `multi_head_attention`, `feed_forward` and `layer_norm` their weights.

    Args:
        X: (..., T, d) tokens.
        attend: mixes the tokens.
        feed: works on each token by itself.
        first_norm, second_norm: the norms that go with `attend` and with `feed`.
        pre_norm: normalise what goes into a part, not the sum that comes out.

    Returns:
        (..., T, d) tokens.

    Raises:
        ShapeError: X is not (..., T, d), or a part does not keep its shape.

    Source: Vaswani et al. (2017), "Attention Is All You Need", section 3.1; for pre-norm Xiong et
    al. (2020), "On Layer Normalization in the Transformer Architecture", section 3.1, table 1.

    >>> from attention_core import attention, feed_forward
    >>> X, I = [[1.0, 3.0], [3.0, 1.0]], [[1.0, 0.0], [0.0, 1.0]]
    >>> attend, feed = lambda X: attention(X, X, X), lambda X: feed_forward(X, I, I)
    >>> encoder_block(X, attend, feed).round(3).tolist()
    [[-1.0, 1.0], [1.0, -1.0]]
    >>> encoder_block(X, attend, feed, pre_norm=True).round(3).tolist()
    [[0.112, 4.888], [4.888, 0.112]]
    """
    X = matrix("X", X)

    def apply(layer: Layer, name: str, tokens: Array) -> Array:
        result = layer(tokens)
        if result.shape != X.shape:
            raise ShapeError(f"{name} turned the tokens' shape {X.shape} into {result.shape}")
        return result

    if pre_norm:
        H = X + apply(attend, "attend", first_norm(X))
        return H + apply(feed, "feed", second_norm(H))
    H = first_norm(X + apply(attend, "attend", X))
    return second_norm(H + apply(feed, "feed", H))
