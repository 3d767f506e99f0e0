"""Mistakes that several families share: real wrong computations with their feedback.

Each function returns a `Mistake` for the step at hand, or all known mistakes of such a step;
a `Read` reads the step's input. A family that knows more mistakes gives its own.
"""

import numpy as np

from attention_core.maths.activations import relu
from attention_core.maths.arrays import Array
from attention_core.problems.family import Compute, Condition, Mistake, Values, always
from attention_core.problems.inputs import Read
from attention_core.problems.rounding import Way, transpose

# Sentences that mistakes share whose computations differ.
NOT_BY_DK = "You divided by $d_k$ itself; divide by $\\sqrt{d_k}$."
KEEP_THE_SIGNS = "You dropped the minus signs; plus times minus gives minus."

# Mistakes of a softmax or a blend that need no arithmetic. Own numbers from which the right way
# leads to the same result are not followed.
UNIFORM, HARD_MAX = "uniform", "hard_max"
TRIVIAL_MISTAKES = (UNIFORM, HARD_MAX)

# Scaling


def unscaled(scores: Read) -> Mistake:
    """Return the mistake of leaving the scores as they are."""
    return Mistake(
        "unscaled",
        lambda way, v: scores(v),
        "You left the raw scores as they are; divide by $\\sqrt{d_k}$ before the softmax.",
        when=lambda v: v.d_k != 1 if "d_k" in v else True,
    )


def scale_mistakes(scores: Read, d_k: Read) -> tuple[Mistake, ...]:
    """Return the mistakes of dividing scores by √d_k."""
    return (
        unscaled(scores),
        Mistake("scaled_by_dk", lambda way, v: way.divide(scores(v), d_k(v)), NOT_BY_DK),
        Mistake(
            "multiplied_scale",
            lambda way, v: way.multiply(scores(v), way.root(d_k(v))),
            "You multiplied by $\\sqrt{d_k}$; divide by it.",
        ),
    )


def scaled_by_tokens(scores: Read, d_k: Read) -> Mistake:
    """Return the mistake of dividing by the root of the number of tokens."""
    return Mistake(
        "scaled_by_wrong_width",
        lambda way, v: way.scale(scores(v), scores(v).shape[-1]),
        "You took the root of the number of tokens; $d_k$ is the width of a key.",
        when=lambda v: d_k(v) != scores(v).shape[-1],
    )


# Softmax


def softmax_mistakes(scores: Read) -> tuple[Mistake, ...]:
    """Return the mistakes of the softmax of a row, or of each row."""
    return (*exponential_mistakes(scores), hard_max(scores), equal_weights(scores))


def exponential_mistakes(scores: Read) -> tuple[Mistake, ...]:
    """Return the mistakes of taking exponentials and dividing them by their sum."""
    return no_exponential(scores), unnormalised(scores), base_two(scores)


def no_exponential(scores: Read) -> Mistake:
    """Return the mistake of dividing scores by their sum."""
    return Mistake(
        "no_exponential",
        lambda way, v: way.normalise(scores(v)),
        "You divided the scores themselves by their sum; take their exponentials first.",
    )


def unnormalised(scores: Read) -> Mistake:
    """Return the mistake of leaving exponentials as they are."""
    return Mistake(
        "unnormalised",
        lambda way, v: way.round(np.exp(scores(v))),
        "You’ve only taken the exponentials; divide each by their sum, so that the row sums to 1.",
    )


def base_two(scores: Read, when: Condition = always) -> Mistake:
    """Return the mistake of taking powers of 2 instead of e."""
    return Mistake(
        "base_two",
        lambda way, v: way.normalise(way.round(np.exp2(scores(v)))),
        "You took powers of 2; the softmax takes powers of $e = 2.718…$.",
        when=when,
    )


def hard_max(scores: Read) -> Mistake:
    """Return the mistake of putting all the weight on the largest score."""
    return Mistake(
        HARD_MAX,
        lambda way, v: one_hot_largest(scores(v)),
        "You gave everything to the largest score. It gets the most, but it doesn’t get all.",
    )


def equal_weights(scores: Read) -> Mistake:
    """Return the mistake of giving the same weight everywhere."""
    return Mistake(
        UNIFORM,
        lambda way, v: way.round(uniform_weights(scores(v))),
        "You gave every score the same share; a larger score gets a larger one.",
    )


def column_softmax(scores: Read) -> Mistake:
    """Return the mistake of normalising columns instead of rows."""
    return Mistake(
        "column_softmax",
        lambda way, v: way.softmax(scores(v), axis=-2),
        "You normalised the columns. Each *row* sums to 1, because it’s one token’s attention.",
    )


def global_softmax(scores: Read) -> Mistake:
    """Return the mistake of one softmax over the whole matrix."""

    def over_all(way: Way, v: Values) -> Array:
        rows = scores(v)
        return way.softmax(rows.reshape(*rows.shape[:-2], -1)).reshape(rows.shape)

    return Mistake(
        "global_softmax",
        over_all,
        "You took one softmax over the whole matrix; take one for each row.",
    )


# Products and blends


def signs_dropped(A: Read, B: Read) -> Mistake:
    """Return the mistake of multiplying a row, or rows, by B without the minus signs."""
    return Mistake(
        "signs_dropped", lambda way, v: way.times(np.abs(A(v)), np.abs(B(v))), KEEP_THE_SIGNS
    )


def sums_multiplied(compute: Compute) -> Mistake:
    """Return the mistake of multiplying the sums of two vectors."""
    return Mistake(
        "sums_multiplied",
        compute,
        "You added first and multiplied the sums. Multiply dimension by dimension, then add.",
    )


def column_vectors(matrix: str, compute: Compute, when: Condition = always) -> Mistake:
    """Return the mistake of taking the rows of a matrix for its columns."""
    return Mistake(
        "column_vectors",
        compute,
        f"You multiplied by the rows of {matrix}. Vectors are rows here, so take its *columns*.",
        when=when,
    )


def no_bias(bias: str, x: Read, W: Read) -> Mistake:
    """Return the mistake of forgetting the bias of a layer."""
    return Mistake(
        "no_bias", lambda way, v: way.times(x(v), W(v)), f"You left out the bias; add {bias}."
    )


def transposed_scores(compute: Compute) -> Mistake:
    """Return the mistake of a row for each key and a column for each query."""
    return Mistake(
        "transposed",
        compute,
        "You computed $KQ^\\top$. Each query gets a row and each key a column.",
    )


def not_transposed(Q: Read, K: Read, when: Condition) -> Mistake:
    """Return the mistake of QK instead of QKᵀ."""
    return Mistake(
        "not_transposed",
        lambda way, v: way.product(Q(v), K(v)),
        "You multiplied by $K$ as it is. A score needs a key’s *row*, so transpose $K$ first.",
        when=when,
    )


def feature_gram(Q: Read, K: Read, when: Condition) -> Mistake:
    """Return the mistake of QᵀK instead of QKᵀ."""
    return Mistake(
        "feature_gram",
        lambda way, v: way.product(transpose(Q(v)), K(v)),
        "You compared dimensions with dimensions. Tokens are the rows, so you need $QK^\\top$.",
        when=when,
    )


def cell_by_cell(A: Read, B: Read, line: str, when: Condition) -> Mistake:
    """Return the mistake of multiplying cell by cell; `line` names the part of B to multiply by."""
    return Mistake(
        "elementwise",
        lambda way, v: way.round(A(v) * B(v)),
        f"You multiplied cell by cell; multiply row by {line} and add up.",
        when=when,
    )


def blend_mistakes(weights: Read, values: Read) -> tuple[Mistake, ...]:
    """Return the mistakes of blending the values by their weights."""
    return uniform_blend(weights, values), hard_blend(weights, values)


def uniform_blend(weights: Read, values: Read) -> Mistake:
    """Return the mistake of the plain average of the values."""
    return Mistake(
        UNIFORM,
        lambda way, v: way.times(uniform_weights(weights(v)), values(v)),
        "You took the plain average; weight each row by the attention it gets.",
    )


def unweighted_sum(values: Read) -> Mistake:
    """Return the mistake of adding up all the values, for one word."""
    return Mistake(
        "unweighted_sum",
        lambda way, v: way.round(values(v).sum(axis=-2)),
        "You added the values as they are; multiply each by its weight first.",
    )


def hard_blend(weights: Read, values: Read, when: Condition = always) -> Mistake:
    """Return the mistake of taking the value with the largest weight alone."""
    return Mistake(
        HARD_MAX,
        lambda way, v: way.times(one_hot_largest(weights(v)), values(v)),
        "You took only the row with the largest weight. Every row counts, by its weight.",
        when=when,
    )


def weight_column(weights: Read, values: Read) -> Mistake:
    """Return the mistake of taking columns of the attention matrix for its rows."""
    return Mistake(
        "weight_column",
        lambda way, v: way.product(transpose(weights(v)), values(v)),
        "You used a column of weights; use the query’s *row*.",
    )


def mixed_keys(weights: Read, keys: Read) -> Mistake:
    """Return the mistake of blending keys instead of values."""
    return Mistake(
        "mixed_keys",
        lambda way, v: way.times(weights(v), keys(v)),
        "You mixed the keys; mix the *values*.",
    )


# Heads, joined to one row for each word


def heads_swapped(W_O: str, compute: Compute) -> Mistake:
    """Return the mistake of setting the second of two heads before the first."""
    return Mistake(
        "heads_swapped", compute, f"You put head 2 first; {W_O} expects head 1 on the left."
    )


def no_output_projection(W_O: str, joined: Read) -> Mistake:
    """Return the mistake of not mixing the concatenated heads."""
    return Mistake(
        "no_output_projection",
        lambda way, v: joined(v),
        f"You’ve only concatenated the heads; now multiply by {W_O}.",
    )


def heads_averaged(joined: Read, W_O: Read, heads: int) -> Mistake:
    """Return the mistake of averaging over the heads."""
    return Mistake(
        "heads_averaged",
        lambda way, v: way.round(way.product(joined(v), W_O(v)) / heads),
        "You averaged over the heads. They’re concatenated, so their parts just add up.",
    )


# Residuals, norms and layers


def no_relu(before: Read) -> Mistake:
    """Return the mistake of the second feed-forward layer without the ReLU before it."""
    return Mistake(
        "no_activation",
        lambda way, v: way.layer(before(v), v.W_2, v.b_2),
        "You left out the ReLU between the layers. It turns negative numbers into 0.",
    )


def relu_for_signs(before: Read) -> Mistake:
    """Return the mistake of the second feed-forward layer with dropped signs for the ReLU."""
    return Mistake(
        "signs_dropped",
        lambda way, v: way.layer(np.abs(before(v)), v.W_2, v.b_2),
        "You dropped the minus signs; the ReLU turns negative numbers into 0.",
    )


def activated_early(x: Read) -> Mistake:
    """Return the mistake of applying the ReLU in the first layer's step already."""
    return Mistake(
        "activated_early",
        lambda way, v: relu(way.layer(x(v), v.W_1, v.b_1)),
        "You’ve applied the ReLU already; this step asks for the numbers before it.",
    )


def norm_mistakes(x: Read) -> tuple[Mistake, ...]:
    """Return the mistakes of a layer norm over the features."""
    return (
        Mistake(
            "no_mean",
            lambda way, v: way.rms_norm(x(v)),
            "You didn’t subtract the mean, so this is RMSNorm. LayerNorm subtracts it first.",
        ),
        Mistake(
            "sample_variance",
            lambda way, v: sample_norm(way, x(v)),
            "You divided by $d - 1$. This variance is a plain mean of squares, so divide by $d$.",
        ),
        Mistake(
            "variance_not_sd",
            lambda way, v: variance_norm(way, way.deviations(x(v))),
            "You divided by the variance; divide by its square root, the standard deviation.",
        ),
        Mistake(
            "not_divided",
            lambda way, v: way.deviations(x(v)),
            "You subtracted the mean; now divide by the standard deviation.",
        ),
    )


def no_residual(sublayer: Read) -> Mistake:
    """Return the mistake of a sublayer's output without its input added."""
    return Mistake(
        "no_residual",
        lambda way, v: way.round(sublayer(v)),
        "You left out the residual; add the sublayer’s input to its output.",
    )


def norm_before_add(x: Read, sublayer: Read) -> Mistake:
    """Return the mistake of normalising a sublayer's output before the residual is added."""
    return Mistake(
        "norm_before_add",
        lambda way, v: way.round(x(v) + way.layer_norm(sublayer(v))),
        "You normalised the sublayer’s output and then added. This block adds first.",
        # The norm of an output that hardly varies cannot be followed by hand.
        when=lambda v: sublayer(v).std(axis=-1) >= 0.7,
    )


def sample_norm(way: Way, x: Array) -> Array:
    """Return a layer norm whose variance is divided by d − 1."""
    deviations = way.deviations(x)
    variance = way.round((deviations * deviations).sum(axis=-1) / (x.shape[-1] - 1))
    return way.divide(deviations, way.root(variance))


def variance_norm(way: Way, x: Array) -> Array:
    """Return each vector over its mean square, the root forgotten."""
    return way.divide(x, way.mean(x * x))


def one_hot_largest(scores: Array) -> Array:
    """Return 1 at the first largest entry of each row, 0 elsewhere."""
    largest = scores.argmax(axis=-1)[..., None]
    return np.where(np.arange(scores.shape[-1]) == largest, 1.0, 0.0)


def uniform_weights(scores: Array) -> Array:
    """Return the same weight for every entry of a row."""
    return np.full(scores.shape, 1 / scores.shape[-1])
