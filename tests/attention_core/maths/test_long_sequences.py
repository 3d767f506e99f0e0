"""Long sequences: the same numbers in blocks, in a fraction of the memory."""

import tracemalloc

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attention_core import attention, attention_weights, band_mask, length_mask
from attention_core.errors import ShapeError
from attention_core.maths.attention import MAX_UNBLOCKED
from attention_core.maths.long_sequences import attention_in_blocks
from tests.attention_core.drawn import drawn

FAR = st.none() | st.integers(0, 8)


@given(
    st.integers(1, 9),
    st.integers(0, 4),
    st.integers(1, 5),
    FAR,
    FAR,
    st.sampled_from(["none", "boolean", "real", "one for all rows"]),
    st.none() | st.just(2.0),
)
def test_blocks_of_any_size_give_what_the_whole_gives(T, past, block, back, ahead, kind, soft_cap):
    S = T + past
    Q, K, V = drawn(2, 1, T, 3), drawn(3, S, 3), drawn(S, 4)
    seen = drawn(2, 3, T, S) > 0
    mask = {
        "none": None,
        "boolean": seen,
        "real": np.where(seen, drawn(T, S), -np.inf),
        "one for all rows": length_mask(S - past, S),
    }[kind]
    in_blocks = attention_in_blocks(
        Q, K, V, mask=mask, back=back, ahead=ahead, scale=0.7, soft_cap=soft_cap, block=block
    )

    band = band_mask(T, S, back=back, ahead=ahead)
    if mask is None:
        both = band
    else:
        both = mask & band if mask.dtype == bool else np.where(band, mask, -np.inf)
    A = attention_weights(Q, K, mask=both, scale=0.7, soft_cap=soft_cap)
    assert np.allclose(in_blocks, A @ V, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("options", [{}, {"causal": True}, {"causal": True, "window": 40}])
@pytest.mark.parametrize("T", [MAX_UNBLOCKED, MAX_UNBLOCKED + 1, 300])
def test_nothing_changes_where_blocks_begin(T, options):
    Q, K, V = drawn(2, T, 4), drawn(2, T + 5, 4), drawn(2, T + 5, 3)
    expected = attention_weights(Q, K, **options) @ V
    assert np.allclose(attention(Q, K, V, **options), expected, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("T", [3, MAX_UNBLOCKED + 44])
def test_large_scores_do_not_overflow(T):
    K = 1e3 * np.eye(T)
    with np.errstate(all="raise", under="ignore"):
        output = attention(K, K, drawn(T, 2), scale=1)
    assert np.array_equal(output, drawn(T, 2))


def test_a_long_sequence_takes_little_memory():
    T = 1024
    Q = drawn(2, T, 16)
    tracemalloc.start()
    output = attention(Q, Q, Q, causal=True)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak - output.nbytes < T * T * Q.itemsize / 4


@pytest.mark.parametrize(
    ("K", "V", "options", "message"),
    [
        ((300, 3), (300, 4), {}, r"K has shape \(300, 3\)"),
        ((300, 4), (299, 4), {}, r"K has 300 tokens, V has shape \(299, 4\)"),
        ((2, 300, 4), (3, 300, 4), {}, r"K has \(2,\), V has \(3,\)"),
        ((200, 4), (200, 4), {"causal": True}, "T = 300, S = 200"),
        ((300, 4), (300, 4), {"mask": np.ones((300, 7), bool)}, r"mask has shape \(300, 7\)"),
    ],
)
def test_shapes_are_checked_here_too(K, V, options, message):
    with pytest.raises(ShapeError, match=message):
        attention(np.zeros((300, 4)), np.zeros(K), np.zeros(V), **options)
