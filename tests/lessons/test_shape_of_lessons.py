"""The lessons that ship have the sections that others refer to, and take the stated time."""

import pytest

from tests.lessons.shipped import shipped

# Their sections; and how much of their minutes the reading may take, at least and at most. Tables,
# formulas, figures to play with and calculations to follow take the rest.
SHAPES = {
    "attention-foundations": (
        "paper embeddings vector-space distances context projections formula why-the-root "
        "why-softmax training causal-mask",
        (0.6, 1),
    ),
    "one-word-two-contexts": (
        "mouse name window self-attention scores weights reading output side-by-side order",
        (0.5, 1),
    ),
    "learning-how-to-mix": (
        "likeness projections roles subspaces fixed gradients interpretability width heads "
        "where-and-what",
        (0.5, 1),
    ),
    "embeddings-to-attention": (
        "next-token embeddings queries-keys-values scores scaling softmax blend find-the-slip "
        "counting",
        (0.4, 0.7),
    ),
    "the-whole-block": (
        "block residual norms feed-forward swiglu pre-and-post by-hand stack causal-mask "
        "full-circle brain marr",
        (0.5, 1),
    ),
    "attention-and-transformers": (
        "text-to-vectors encoder-block scaled-attention heads it-and-the-animal rnns "
        "encoder-decoder kv-cache grouped-queries sliding-window mechanism your-sentence",
        (0.5, 1),
    ),
}


@pytest.mark.parametrize("slug", SHAPES)
def test_it_has_its_sections_and_takes_about_the_minutes_it_says(slug):
    sections, (least, most) = SHAPES[slug]
    lesson = shipped(slug)
    assert list(lesson.bodies) == sections.split()
    assert least < lesson.minutes_of_reading / lesson.lesson.fields["minutes"] < most


def test_the_primer_takes_ten_minutes():
    primer = shipped("primer")
    assert primer.lesson.fields["minutes"] == 10
    assert 4 < primer.minutes_of_reading < 10


@pytest.mark.parametrize("slug", ["one-word-two-contexts", "learning-how-to-mix"])
def test_every_section_asks_before_it_tells(slug):
    bodies = shipped(slug).bodies
    assert [name for name, body in bodies.items() if body.count("::: choose ") != 1] == []
