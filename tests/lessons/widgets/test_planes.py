"""Arrows in the plane, beside the numbers that the core computes."""

import re

import numpy as np
import pytest

from attention_core import softmax
from attention_core.maths.vectors import angle, convex_hull, cosine_similarity, length
from lessons.plane import USED, Plane
from lessons.rendering import render_markdown

TWO = "labels: [cat, dog]\nvectors: [[3, 1], [-2, 2]]\n"


def plane_of(name: str, parameters: str) -> str:
    return render_markdown(f"```{name}\n{parameters}```")


def test_the_numbers_of_two_vectors_are_those_of_the_core():
    drawn = plane_of("vectors", TWO)
    a, b = [3, 1], [-2, 2]
    assert re.findall(r'vectors-length">(.*?)<', drawn) == [f"{length(a):.3f}", f"{length(b):.3f}"]
    pair = re.search(r"cat, dog</th><td>(.*?)</td><td>(.*?)</td><td>(.*?)</td>", drawn)
    cosine = f"{cosine_similarity(a, b):.3f}".replace("-", "−")
    assert pair.groups() == ("−4.000", cosine, f"{angle(a, b):.1f}°")


def test_an_arrow_ends_where_its_vector_does():
    plane = Plane.around([[3, 1], [-2, 2]])
    assert (plane.reach, plane.place([3, -3])) == (3, (USED, USED))
    assert plane.arrow([3, 0]).startswith(f"M0.0 0.0L{USED:.1f} 0.0")


def test_a_vector_of_length_0_has_no_angle():
    drawn = plane_of("vectors", "labels: [a, b]\nvectors: [[0, 0], [1, 2]]\n")
    assert "<td>0.000</td><td>–</td><td>–</td>" in drawn


def test_every_blend_lies_within_the_hull():
    random = np.random.default_rng(3)
    points = random.normal(size=(7, 2))
    hull = convex_hull(points)
    blends = random.dirichlet(np.ones(7), size=50) @ points
    edges = np.roll(hull, -1, axis=0) - hull
    ways = blends[:, None] - hull
    assert (edges[:, 0] * ways[..., 1] - edges[:, 1] * ways[..., 0] > -1e-12).all()


@pytest.mark.parametrize("points", [[[1, 2]], [[1, 2], [1, 2]], [[0, 0], [1, 1], [2, 2]]])
def test_a_hull_without_area_is_its_ends(points):
    ends = np.unique(np.array([points[0], points[-1]], dtype=float), axis=0)
    assert (convex_hull(points) == ends).all()


def test_a_blend_is_the_mean_by_the_softmax_of_the_scores():
    values, scores = [[3, 1], [-1, 3], [-2, -2]], [2, 1, 0]
    drawn = plane_of("blending", f"labels: [a, b, c]\nvalues: {values}\nscores: {scores}\n")
    weights = softmax(scores)
    assert re.findall(r'blending-weight">(.*?)<', drawn) == [f"{each:.3f}" for each in weights]
    x, y = weights @ np.array(values)
    assert f"<output>({x:.3f}, {y:.3f})</output>" in drawn


def test_a_value_without_length_has_no_tip_to_name():
    drawn = plane_of("blending", "labels: [a, b]\nvalues: [[1, 2], [0, 0]]\nscores: [1, 1]\n")
    assert re.findall(r'class="plane-name" aria-hidden="true"[^>]*>(.*?)<', drawn) == ["a"]
