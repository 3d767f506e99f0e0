"""Several heads: each attends by itself, and their results are joined and mixed."""

import numpy as np
import pytest

from attention_core import KeyValueCache, attention, multi_head_attention, multi_head_weights
from attention_core.errors import ShapeError
from attention_core.maths.heads import join_heads, share_heads, split_heads
from tests.attention_core.drawn import drawn

T, D = 5, 6


X = drawn(T, D, seed=1)
W_Q, W_K, W_V, W_O = drawn(4, D, D, seed=2)
B_Q, B_K, B_V, B_O = drawn(4, D, seed=3)


@pytest.mark.parametrize("options", [{}, {"causal": True}, {"window": 2}, {"soft_cap": 1.5}])
def test_each_head_attends_with_its_slice_of_the_projections(options):
    by_hand = []
    for head in (slice(0, 2), slice(2, 4), slice(4, 6)):
        Q, K, V = (X @ W[:, head] + b[head] for W, b in ((W_Q, B_Q), (W_K, B_K), (W_V, B_V)))
        by_hand.append(attention(Q, K, V, **options))
    expected = np.concatenate(by_hand, axis=-1) @ W_O + B_O
    output = multi_head_attention(
        X, W_Q, W_K, W_V, W_O, heads=3, b_Q=B_Q, b_K=B_K, b_V=B_V, b_O=B_O, **options
    )
    assert np.allclose(output, expected)


def test_the_weights_are_those_it_mixes_with():
    weights = multi_head_weights(X, W_Q, W_K, heads=2, b_Q=B_Q, b_K=B_K, causal=True)
    found = join_heads(weights @ split_heads(X @ W_V, 2))
    output = multi_head_attention(X, W_Q, W_K, W_V, W_O, heads=2, b_Q=B_Q, b_K=B_K, causal=True)
    assert weights.shape == (2, T, T)
    assert np.allclose(found @ W_O, output)


@pytest.mark.parametrize(("key_heads", "owner"), [(1, [0, 0, 0, 0]), (2, [0, 0, 1, 1])])
def test_neighbouring_heads_share_keys_and_values(key_heads, owner):
    X, W_Q, W_O = drawn(T, 8), drawn(8, 8, seed=1), drawn(8, 8, seed=2)
    W_K, W_V = drawn(2, 8, key_heads * 2, seed=3)
    shared = multi_head_attention(X, W_Q, W_K, W_V, W_O, heads=4, key_heads=key_heads)
    copied = [np.concatenate([W[:, 2 * g : 2 * g + 2] for g in owner], axis=1) for W in (W_K, W_V)]
    assert np.allclose(shared, multi_head_attention(X, W_Q, *copied, W_O, heads=4))
    weights = multi_head_weights(X, W_Q, W_K, heads=4, key_heads=key_heads)
    assert np.allclose(weights, multi_head_weights(X, W_Q, copied[0], heads=4))


def test_batches_and_head_masks_broadcast():
    batch = drawn(2, T, D)
    mask = drawn(2, 3, T, T) > -1
    together = multi_head_attention(batch, W_Q, W_K, W_V, W_O, heads=3, mask=mask)
    alone = multi_head_attention(batch[1], W_Q, W_K, W_V, W_O, heads=3, mask=mask[1])
    assert np.allclose(together[1], alone)


def test_a_decoder_may_look_at_another_sentence():
    memory = drawn(7, D)
    output = multi_head_attention(X, W_Q, W_K, W_V, W_O, heads=1, memory=memory)
    assert np.allclose(output, attention(X @ W_Q, memory @ W_K, memory @ W_V) @ W_O)
    assert multi_head_weights(X, W_Q, W_K, heads=2, memory=memory).shape == (2, T, 7)


@pytest.mark.parametrize("pieces", [[1] * T, [3, 2], [2, 1, 2]])
def test_the_cache_gives_what_the_whole_sentence_gives(pieces):
    cache, rows, start = KeyValueCache(), [], 0
    for piece in pieces:
        assert cache.tokens == start
        new = X[start : start + piece]
        rows.append(
            multi_head_attention(new, W_Q, W_K, W_V, W_O, heads=2, causal=True, cache=cache)
        )
        start += piece
    whole = multi_head_attention(X, W_Q, W_K, W_V, W_O, heads=2, causal=True)
    assert np.allclose(np.concatenate(rows), whole)


def refused(message):
    return pytest.raises(ShapeError, match=message)


def test_what_does_not_fit_is_named():
    with refused(r"X has shape \(5, 6\).*4 heads"):
        split_heads(X, 4)
    with refused(r"divisor of 4; it has shape \(3, 5, 6\)"):
        share_heads(drawn(3, T, D), 4)
    with refused(r"X must be \(..., heads, tokens, width\); it has shape \(5, 6\)"):
        join_heads(X)
    with refused(r"W_K must have one row .*\(5, 6\); it has shape \(5, 6\)"):
        multi_head_attention(X, W_Q, W_K[1:], W_V, W_O, heads=2)
    with refused(r"the bias of W_O must have shape \(6,\); it has shape \(5,\)"):
        multi_head_attention(X, W_Q, W_K, W_V, W_O, heads=2, b_O=B_O[1:])
    with refused(r"memory must be"):
        multi_head_attention(X, W_Q, W_K, W_V, W_O, heads=2, memory=X[0])
    with refused("does not split into 0 heads"):
        multi_head_attention(X, W_Q, W_K, W_V, W_O, heads=2, key_heads=0)


def test_the_cache_names_what_cannot_follow():
    cache = KeyValueCache()
    with refused(r"K has shape \(2, 3\), V has shape \(1, 3\)"):
        cache.extend(drawn(2, 3), drawn(1, 3))
    cache.extend(drawn(2, 3), drawn(2, 4))
    with refused(r"V has shape \(1, 3\), and cannot follow .*\(2, 4\)"):
        cache.extend(drawn(1, 3), drawn(1, 3))
    assert cache.tokens == 2
