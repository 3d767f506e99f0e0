"""The encoder block, compared with PyTorch's and with its own promises."""

import json
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from attention_core import (
    attention,
    encoder_block,
    feed_forward,
    gelu,
    layer_norm,
    multi_head_attention,
    relu,
)
from attention_core.errors import ShapeError
from tests.attention_core.drawn import drawn

THEIRS = json.loads((Path(__file__).parent / "encoder_layer.json").read_text())["outputs"]


def numbers(place, *shape):
    return np.sin(1.7 * np.arange(np.prod(shape)) + place).reshape(shape)


@pytest.mark.parametrize("name", THEIRS)
def test_it_agrees_with_pytorch(name):
    order, activation, *causal = name.split()
    W = zip(("W_Q", "W_K", "W_V"), numbers(0, 18, 6).reshape(3, 6, 6).swapaxes(1, 2), strict=True)
    b = zip(("b_Q", "b_K", "b_V"), numbers(1, 18).reshape(3, 6), strict=True)
    projections = dict([*W, *b], W_O=numbers(2, 6, 6).T, b_O=numbers(3, 6))
    attend = partial(multi_head_attention, heads=2, causal=bool(causal), **projections)
    W_1, W_2, b_1, b_2 = numbers(4, 8, 6).T, numbers(6, 6, 8).T, numbers(5, 8), numbers(7, 6)
    function = {"relu": relu, "gelu": gelu}[activation]
    feed = partial(feed_forward, W_1=W_1, W_2=W_2, b_1=b_1, b_2=b_2, activation=function)
    output = encoder_block(
        numbers(100, 4, 6),
        attend,
        feed,
        first_norm=partial(layer_norm, gain=numbers(8, 6), shift=numbers(9, 6)),
        second_norm=partial(layer_norm, gain=numbers(10, 6), shift=numbers(11, 6)),
        pre_norm=order == "pre",
    )
    assert np.allclose(output, THEIRS[name], rtol=0, atol=1e-9)


def attend(X):
    return attention(X, X, X)


def feed(X):
    return feed_forward(X, drawn(4, 6), drawn(6, 4))


@pytest.mark.parametrize("pre_norm", [True, False])
def test_another_order_of_tokens_gives_another_order_of_outputs(pre_norm):
    X, order = drawn(5, 4), [3, 0, 4, 1, 2]
    block = partial(encoder_block, attend=attend, feed=feed, pre_norm=pre_norm)
    assert np.allclose(block(X[order]), block(X)[order])


@pytest.mark.parametrize("pre_norm", [True, False])
def test_a_part_that_changes_the_shape_is_named(pre_norm):
    with pytest.raises(ShapeError, match=r"feed turned the tokens' shape \(3, 4\) into \(3, 3\)"):
        encoder_block(drawn(3, 4), attend, lambda X: X[:, 1:], pre_norm=pre_norm)
    with pytest.raises(ShapeError, match=r"X must be .*\(4,\)"):
        encoder_block(drawn(4), attend, feed)
