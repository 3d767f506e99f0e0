"""The feed-forward layers of a block: each token by itself, widened, bent and narrowed again.

Shapes: d the width of a token, d_ff the inner width.
"""

from collections.abc import Callable

from numpy.typing import ArrayLike

from attention_core.errors import ShapeError
from attention_core.maths.activations import relu, silu
from attention_core.maths.arrays import Array
from attention_core.maths.linear import linear

type Activation = Callable[[Array], Array]


def feed_forward(
    x: ArrayLike,
    W_1: ArrayLike,
    W_2: ArrayLike,
    *,
    b_1: ArrayLike | None = None,
    b_2: ArrayLike | None = None,
    activation: Activation = relu,
) -> Array:
    """Return FFN(x) = max(0, xW₁ + b₁)W₂ + b₂, or with another activation than the maximum.

    Args:
        x: (..., d) vectors.
        W_1, b_1: (d, d_ff) weights and (d_ff,) bias.
        W_2, b_2: (d_ff, d) weights and (d,) bias. Without biases, leave them out.
        activation: `relu`, `gelu`, `gelu_tanh`, `silu` or any function of arrays.

    Returns:
        (..., d) vectors.

    Raises:
        ShapeError: the weights do not fit x, or each other, or their biases.

    Source: Vaswani et al. (2017), "Attention Is All You Need", section 3.3, equation 2.

    >>> feed_forward([1.0, -1.0], [[1.0, 0.0], [0.0, 1.0]], [[2.0, 0.0], [0.0, 2.0]]).tolist()
    [2.0, 0.0]
    """
    hidden = activation(linear(x, W_1, b_1, name="W_1"))
    return linear(hidden, W_2, b_2, name="W_2")


def gated_feed_forward(
    x: ArrayLike, W: ArrayLike, V: ArrayLike, W_2: ArrayLike, *, activation: Activation = silu
) -> Array:
    """Return SwiGLU, FFN(x) = (silu(xW) ⊗ xV) W₂; with `gelu` for `silu`, GEGLU; and so on.

    Args:
        x: (..., d) vectors.
        W: (d, d_ff) weights of the gate.
        V: (d, d_ff) weights of the numbers that pass through it.
        W_2: (d_ff, d) weights.
        activation: of the gate.

    Returns:
        (..., d) vectors.

    Raises:
        ShapeError: the weights do not fit x or each other.

    Source: Shazeer (2020), "GLU Variants Improve Transformer", section 2, equation 6.

    >>> W, V, W_2 = [[1.0], [0.0]], [[0.0], [1.0]], [[1.0, 0.5]]
    >>> gated_feed_forward([1.0, 2.0], W, V, W_2).round(4).tolist()  # silu(1) · 2 times W_2
    [1.4621, 0.7311]
    """
    gate, passing = linear(x, W, name="W"), linear(x, V, name="V")
    if gate.shape != passing.shape:
        raise ShapeError(f"W gives {gate.shape[-1]} features, V gives {passing.shape[-1]}")
    return linear(activation(gate) * passing, W_2, name="W_2")
