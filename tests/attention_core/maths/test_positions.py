"""Positions: sines and cosines that are added, and pairs that are rotated."""

import cmath
import math

import numpy as np
import pytest

from attention_core import rotary_positions, sinusoidal_positions
from attention_core.errors import AuthorError, ShapeError
from attention_core.maths.positions import turn_pairs
from tests.attention_core.drawn import drawn


def test_even_places_take_sines_and_odd_places_cosines():
    table = sinusoidal_positions(range(6), 8)
    for position, place in np.ndindex(6, 8):
        angle = position / 10_000 ** ((place - place % 2) / 8)
        wave = math.cos if place % 2 else math.sin
        assert math.isclose(table[position, place], wave(angle), abs_tol=1e-15)


@pytest.mark.parametrize("width", [0, 3])
def test_places_come_in_pairs(width):
    with pytest.raises(ShapeError, match=f"the width {width} must be even"):
        sinusoidal_positions(1, width)


def test_a_pair_turns_as_a_complex_number_does():
    x, positions = drawn(3, 4), [0, 2, 7]
    turned = rotary_positions(x, positions)
    for t, position in enumerate(positions):
        for pair in (0, 1):
            number = complex(*x[t, 2 * pair : 2 * pair + 2])
            angle = position / 10_000 ** (2 * pair / 4)
            expected = number * cmath.exp(1j * angle)
            assert np.allclose(turned[t, 2 * pair : 2 * pair + 2], [expected.real, expected.imag])


def test_both_layouts_turn_the_same_pairs():
    x = drawn(2, 5, 8)
    halves = np.concatenate([x[..., 0::2], x[..., 1::2]], axis=-1)
    turned = rotary_positions(halves, layout="halves")
    interleaved = rotary_positions(x)
    assert np.allclose(turned[..., :4], interleaved[..., 0::2])
    assert np.allclose(turned[..., 4:], interleaved[..., 1::2])


@pytest.mark.parametrize("layout", ["interleaved", "halves"])
def test_the_places_beyond_the_width_stay(layout):
    x = drawn(3, 8)
    turned = rotary_positions(x, width=4, layout=layout)
    assert np.array_equal(turned[:, 4:], x[:, 4:])
    assert np.allclose(turned[:, :4], rotary_positions(x[:, :4], layout=layout))


def test_each_sequence_may_stand_elsewhere():
    x, positions = drawn(2, 3, 4, 6), np.array([[[0, 1, 2, 3]], [[5, 6, 7, 8]]])
    turned = rotary_positions(x, positions)
    assert np.allclose(turned[1, 2], rotary_positions(x[1, 2], [5, 6, 7, 8]))


def test_what_does_not_fit_is_named():
    with pytest.raises(ShapeError, match=r"at most 4.*cosines have shape \(3, 3\)"):
        rotary_positions(drawn(3, 4), width=6)
    with pytest.raises(ShapeError, match=r"x has \(3,\), cosines has \(2,\)"):
        rotary_positions(drawn(3, 4), [0, 1])
    with pytest.raises(ShapeError, match=r"x must be .*\(4,\)"):
        rotary_positions(drawn(4))
    with pytest.raises(ShapeError, match=r"sines \(1, 2\)"):
        turn_pairs(drawn(1, 4), [[1.0]], [[0.0, 0.0]])
    with pytest.raises(AuthorError, match="it was 'quarters'"):
        rotary_positions(drawn(3, 4), layout="quarters")
