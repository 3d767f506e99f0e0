"""Mistakes that several families share: real wrong computations with what to say about them.

Each function returns a `Mistake` for the step at hand; `read` says where that step finds its
input. A family that knows more gives its own.
"""

from collections.abc import Callable

import numpy as np

from attention_core.maths.softmax import Array
from attention_core.problems.family import Mistake, Values
from attention_core.problems.ways import Way

type Read = Callable[[Values], Array]


def unscaled(read: Read) -> Mistake:
    """The scores handed on as they are."""
    return Mistake(
        "unscaled",
        lambda way, v: read(v),
        "Divide by $\\sqrt{d_k}$ before the softmax: these are the raw scores.",
        when=lambda v: v.d_k != 1 if "d_k" in v else True,
    )


def scaled_by_dk(read: Read, d_k: Read) -> Mistake:
    """Division by d_k in place of its root."""
    return Mistake(
        "scaled_by_dk",
        lambda way, v: way.divide(read(v), d_k(v)),
        "Divide by $\\sqrt{d_k}$, not by $d_k$ itself.",
    )


def multiplied_scale(read: Read, d_k: Read) -> Mistake:
    """Multiplication by the root."""
    return Mistake(
        "multiplied_scale",
        lambda way, v: way.multiply(read(v), way.root(d_k(v))),
        "Divide by $\\sqrt{d_k}$; you multiplied by it.",
    )


def scaled_by_tokens(read: Read, d_k: Read) -> Mistake:
    """Division by the root of the number of tokens."""

    def by_root_of_tokens(way: Way, v: Values) -> Array:
        tokens = np.full(np.shape(d_k(v)), float(read(v).shape[-1]))
        return way.divide(read(v), way.root(tokens))

    return Mistake(
        "scaled_by_wrong_width",
        by_root_of_tokens,
        "You divided by the root of the number of tokens; $d_k$ is the width of a key.",
        when=lambda v: d_k(v) != read(v).shape[-1],
    )


def column_softmax(read: Read) -> Mistake:
    """Columns that sum to 1 in place of rows."""
    return Mistake(
        "column_softmax",
        lambda way, v: way.softmax(read(v), axis=-2),
        "Each *row* sums to 1: a row is one token’s attention. You normalised the columns.",
    )


def global_softmax(read: Read) -> Mistake:
    """One softmax over the whole matrix."""

    def over_all(way: Way, v: Values) -> Array:
        scores = read(v)
        flat = scores.reshape(*scores.shape[:-2], -1)
        return way.softmax(flat).reshape(scores.shape)

    return Mistake(
        "global_softmax",
        over_all,
        "Normalise each row by itself; your weights sum to 1 only over the whole matrix.",
    )


def no_exponential(read: Read) -> Mistake:
    """Scores over their sum."""
    return Mistake(
        "no_exponential",
        lambda way, v: way.normalise(read(v)),
        "Take the exponential of each score first, then divide by the sum.",
    )


def unnormalised(read: Read) -> Mistake:
    """Exponentials left as they are."""
    return Mistake(
        "unnormalised",
        lambda way, v: way.keep(np.exp(read(v))),
        "These are the exponentials; divide each by their sum, so that the row sums to 1.",
    )


def base_two(read: Read) -> Mistake:
    """2 in place of e."""
    return Mistake(
        "base_two",
        lambda way, v: way.normalise(way.keep(np.exp2(read(v)))),
        "Softmax uses powers of $e = 2.718…$; these are powers of 2.",
    )


def hard_max(read: Read) -> Mistake:
    """All the weight on the largest score."""
    return Mistake(
        "hard_max",
        lambda way, v: one_hot_largest(read(v)),
        "Attention blends; it does not choose. The largest score gets the largest weight, not all.",
    )


def equal_weights(like: Read) -> Mistake:
    """The same weight everywhere; `like` has the shape of the weights."""
    return Mistake(
        "uniform",
        lambda way, v: way.keep(np.full(like(v).shape, 1 / like(v).shape[-1])),
        "A larger score earns a larger weight; you gave all the same.",
    )


def uniform_mix(values: Read) -> Mistake:
    """The plain average of the values."""
    return Mistake(
        "uniform",
        lambda way, v: way.keep(
            np.broadcast_to(values(v).mean(axis=-2, keepdims=True), values(v).shape)
        ),
        "This is the plain average: weigh the values by the attention you found.",
        # Under other sizes it has another shape, and cannot be typed.
    )


def signs_dropped(A: Read, B: Read) -> Mistake:
    """The matrix product AB without its minus signs."""
    return Mistake(
        "signs_dropped",
        lambda way, v: way.product(np.abs(A(v)), np.abs(B(v))),
        "Keep the signs: a plus times a minus takes away from the sum.",
    )


def norm_mistakes(read: Read) -> tuple[Mistake, ...]:
    """What goes wrong in a layer norm over the features."""
    return (
        Mistake(
            "no_mean",
            lambda way, v: way.rms_norm(read(v)),
            "You did not subtract the mean: that is RMSNorm. LayerNorm subtracts it first.",
        ),
        Mistake(
            "sample_variance",
            lambda way, v: sample_norm(way, read(v)),
            "The variance here is a plain mean of squares: divide by $n$, not by $n - 1$.",
        ),
        Mistake(
            "variance_not_sd",
            lambda way, v: variance_norm(way, way.deviations(read(v))),
            "You divided by the variance; divide by its square root, the standard deviation.",
        ),
        Mistake(
            "not_divided",
            lambda way, v: way.deviations(read(v)),
            "You subtracted the mean; now divide by the standard deviation.",
        ),
    )


def no_residual(sublayer: Read) -> Mistake:
    """What a sublayer gives out, its input not added."""
    return Mistake(
        "no_residual",
        lambda way, v: way.keep(sublayer(v)),
        "This is the sublayer’s output alone: add back what went in.",
    )


def norm_before_add(x: Read, sublayer: Read) -> Mistake:
    """The norm of a sublayer's output, added to its input, in a block that adds first."""
    return Mistake(
        "norm_before_add",
        lambda way, v: way.keep(x(v) + way.layer_norm(sublayer(v))),
        "You normalised the sublayer’s output and then added: this block adds, then normalises.",
        # The norm of an output that hardly varies cannot be followed by hand.
        when=lambda v: sublayer(v).std(axis=-1) >= 0.7,
    )


def sample_norm(way: Way, x: Array) -> Array:
    """A layer norm whose variance is divided by n − 1."""
    deviations = way.deviations(x)
    variance = way.keep((deviations * deviations).sum(axis=-1) / (x.shape[-1] - 1))
    return way.divide(deviations, way.root(variance))


def variance_norm(way: Way, x: Array) -> Array:
    """Each vector over its mean square, the root forgotten."""
    return way.divide(x, way.mean(x * x))


def one_hot_largest(scores: Array) -> Array:
    """1 at the first largest entry of each row, 0 elsewhere."""
    largest = scores.argmax(axis=-1)[..., None]
    return np.where(np.arange(scores.shape[-1]) == largest, 1.0, 0.0)
