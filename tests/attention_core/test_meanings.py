"""Numbers of words agree with the words' meanings."""

from collections import Counter
from dataclasses import replace
from itertools import pairwise, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attention_core import draw, family
from attention_core.catalogue import draw_unproved
from attention_core.maths.vectors import cosine_similarity
from attention_core.problems.drawing import Stream
from attention_core.problems.families.two_contexts import CONTEXTS, GRAMMAR
from attention_core.problems.families.vector_arithmetic import CUBES
from attention_core.problems.meanings import FIELDS, SPREAD, draw_word_pair

seeds = st.integers(0, 10**9)
widths = st.sampled_from([2, 3, 4])
proved = settings(max_examples=40, deadline=None)  # Each draw is proved, which is expensive.
every_width = pytest.mark.parametrize("width", [2, 3, 4])

KIN = {word: kin for field in FIELDS for kin in field.kins for word in kin}
FAMILIES = ("cosine", "distance", "two_contexts", "vector_arithmetic")
every_family = pytest.mark.parametrize("key", FAMILIES)


# Kin and strangers


def test_no_word_belongs_to_two_kins():
    words = Counter(word for field in FIELDS for kin in field.kins for word in kin)
    assert max(words.values()) == 1


@every_width
def test_every_kin_has_a_word_to_be_compared_with_and_strangers(width):
    for field in FIELDS:
        for kin in field.kins:
            assert len(kin) > 1
            assert field.strangers(kin, width), kin


@every_width
def test_kin_are_nearer_than_strangers_however_the_numbers_fall(width):
    """The farthest kin and the nearest strangers are at the corners of the words' ranges."""
    corners = SPREAD * np.array([*product((-1, 0, 1), repeat=width)])

    def around(field, kin):
        return np.array(field.kins[kin][:width]) + corners

    def compared(ones, others):
        apart = np.linalg.norm(ones[:, None] - others, axis=-1)
        return apart, cosine_similarity(ones[:, None], others)

    for field in FIELDS:
        for kin in field.kins:
            apart, cosines = compared(around(field, kin), around(field, kin))
            assert apart.max() < 1.25, kin
            assert cosines.min() > 0.8, kin
            for other in field.strangers(kin, width):
                apart, cosines = compared(around(field, kin), around(field, other))
                assert apart.min() > 1.8, (kin, other)
                assert cosines.max() < 0.5, (kin, other)


@given(seeds, widths)
def test_two_words_are_alike_when_they_are_kin(seed, width):
    drawn = draw_word_pair(Stream(seed), width)
    (first,), (second,) = drawn.words["first"], drawn.words["second"]
    a, b = drawn.numbers["a"], drawn.numbers["b"]
    assert first != second
    alike = KIN[first] == KIN[second]
    assert (cosine_similarity(a, b) > 0.65) == alike
    assert (np.linalg.norm(a - b) < 1.5) == alike


@pytest.mark.parametrize("key", ["cosine", "distance"])
def test_kin_and_strangers_are_both_asked_for(key):
    words = [draw(key, seed).words for seed in range(60)]
    assert 15 < sum(KIN[each["first"][0]] == KIN[each["second"][0]] for each in words) < 45


# Analogies


def corners(cube):
    """Return each word's corner of the cube: −1 or 1 in each dimension."""
    return dict(zip(cube.words, product((-1, 1), repeat=3), strict=True))


def cube_of(word):
    return next(cube for cube in CUBES if word in cube.words)


def words_asked(problem):
    """Return the three given words, and the resulting one."""
    three = tuple(problem.words[name][0] for name in "abc")
    return three, problem.words["candidates"][int(problem.values.nearest)]


@proved
@given(seeds, st.sampled_from([2, 3]))
def test_the_nearest_word_is_the_one_that_the_meaning_gives(seed, width):
    problem = draw("vector_arithmetic", seed, width=width)
    three, nearest = words_asked(problem)
    lies = corners(cube_of(three[0]))
    a, b, c = (np.array(lies[word]) for word in three)
    assert lies[nearest] == tuple(a - b + c)
    assert not {*three} & {*problem.words["candidates"]}


@proved
@given(seeds, st.sampled_from([2, 3]))
def test_every_number_of_an_analogy_says_whether_its_dimension_fits(seed, width):
    problem = draw("vector_arithmetic", seed, width=width)
    words = [*(problem.words[name][0] for name in "abc"), *problem.words["candidates"]]
    vectors = [*(problem.givens[name] for name in "abc"), *problem.givens["C"]]
    cube = cube_of(words[0])
    shown = [cube.dimensions.index(name) for name in problem.words["dimensions"]]
    for word, vector in zip(words, vectors, strict=True):
        assert np.sign(vector).tolist() == [corners(cube)[word][place] for place in shown], word


def test_the_analogies_are_those_that_people_know():
    member = family("vector_arithmetic")
    known = dict(
        words_asked(draw_unproved(member, sizes, "known", n))
        for sizes in member.combinations()
        for n in range(2_000)
    )
    expected = {
        ("king", "man", "woman"): "queen",
        ("prince", "boy", "girl"): "princess",
        ("uncle", "father", "mother"): "aunt",
        ("Oslo", "Norway", "Spain"): "Madrid",
        ("elephants", "elephant", "bus"): "buses",
        ("walked", "walk", "wade"): "waded",
        ("sailor", "yacht", "bicycle"): "cyclist",
        ("nest", "bird", "bee"): "hive",
        ("painter", "brush", "harp"): "harpist",
    }
    assert {three: known[three] for three in expected} == expected


# Contexts


@proved
@given(seeds, st.sampled_from(family("two_contexts").combinations()))
def test_the_mix_moves_a_word_to_the_sense_that_its_neighbours_give(seed, sizes):
    v = draw("two_contexts", seed, **sizes).values
    leans = [float(z[0] - z[1]) for z in (v.output_first, v.x, v.output_second)]
    assert all(more > less for more, less in pairwise(leans))
    assert (v.x > 0)[:2].all()


@proved
@given(seeds, st.sampled_from(family("two_contexts").combinations()))
def test_the_words_around_fit_one_sense_or_serve_grammar(seed, sizes):
    problem = draw("two_contexts", seed, **sizes)
    (word,) = problem.words["word"]
    for sense, context in enumerate(("first", "second")):
        vectors = problem.givens[f"X_{context}"]
        for other, vector in zip(problem.words[context], vectors, strict=True):
            if other in GRAMMAR:
                assert np.abs(vector[:2]).max() <= SPREAD
            elif other != word:
                assert vector[sense] > 0 > vector[1 - sense], other


def test_every_context_has_its_word_and_another_that_tells_its_sense():
    for (word, _), contexts in CONTEXTS:
        for tokens, sentences in contexts.items():
            for words in map(str.split, sentences):
                assert (len(words), words.count(word)) == (tokens, 1)
                assert {*words} - {word} - GRAMMAR, words


# The page


@every_family
def test_the_names_of_the_dimensions_stand_over_the_numbers(key):
    problem = draw(key, 1)
    names = list(problem.words["dimensions"])
    for part in problem.family.givens:
        if part.axes:
            assert problem.labels(part.axes, problem.shown(part).shape)[-1] == names


@every_family
def test_numbers_of_earlier_versions_are_shown_as_they_were(key):
    """Their words have no dimensions; these are counted from 1, and no placeholder is left."""
    problem = draw(key, 1)
    words = {name: words for name, words in problem.words.items() if name != "dimensions"}
    earlier = replace(problem, version=1, words=words)
    assert "dimension" in problem.statement
    assert "{" not in earlier.statement.replace("\\sqrt{d_k}", "")
    width = problem.options["width"]
    for step in problem.family.steps:
        if step.axes[-1:] == ("dimensions",):
            (labels,) = earlier.labels(step.axes, problem.values[step.key].shape)
            assert labels == [str(n + 1) for n in range(width)]
