"""Statements are complete, and numbers that an answer depends on are also among the givens."""

import re

import numpy as np
import pytest

from attention_core import draw
from tests.attention_core.drawn import every_family, problem_of

SEEDS = range(8)


def scalars(problem):
    """Return the givens without axes, numbers and words, by key."""
    alone = [given for given in problem.family.givens if not given.axes]
    return {given.key: problem.shown(given) for given in alone}


@every_family
def test_every_number_that_a_statement_tells_is_a_given_too(key):
    for seed in SEEDS:
        problem = problem_of(key, seed)
        given = {
            float(shown)
            for shown in scalars(problem).values()
            if re.fullmatch(r"[\d.]+", f"{shown}")
        }
        for name in re.findall(r"{(\w+)}", problem.family.statement):
            stated = problem.fill_in("{" + name + "}")
            if re.fullmatch(r"[\d.]+", stated):
                assert float(stated) in given, name


@every_family
def test_every_placeholder_of_a_text_is_filled(key):
    problem = problem_of(key, 1)
    givens, steps = problem.family.givens, problem.family.steps
    filled = [
        problem.family.statement,
        *(text for each in givens for text in (each.label, each.text)),
    ]
    filled += [step.label for step in steps]
    # These are shown as they are.
    bare = [text for step in steps for text in (step.how, step.nudge, step.wrong_choice)]
    bare += [mistake.feedback for step in steps for mistake in step.mistakes]
    for text in [*map(problem.fill_in, filled), *bare]:
        assert not re.search(r"{\w*}", re.sub(r"\$[^$]*\$", "", text)), text
        assert not re.search(r"(?<![\\\w^_}]){\w{2,}}", text), text


@every_family
def test_a_given_that_stands_alone_has_a_number_or_words(key):
    for shown in scalars(problem_of(key, 1)).values():
        assert shown.strip() if isinstance(shown, str) else np.isfinite(shown)


def test_a_head_that_is_asked_for_and_their_number_are_given():
    problem = draw("head_split", 3, heads=3)
    given = scalars(problem)
    assert given["heads"] == "3"
    assert problem.values.asked[int(given["head_asked"]) - 1] == 1


def test_a_window_is_given_in_numbers():
    given = scalars(draw("sliding_window", 1, back=2, ahead=1, tokens=5))
    assert (given["back"], given["ahead"]) == (2, 1)


def test_the_matrices_of_a_projection_are_known_by_their_own_names():
    for seed in SEEDS:
        problem = draw("projection", seed)
        names = {problem.fill_in(given.name): given.key for given in problem.family.givens}
        asked = names[f"W_{scalars(problem)['letter']}"]
        assert np.allclose(problem.values.projected, problem.values.X @ problem.values[asked])


@pytest.mark.parametrize(
    ("key", "says"),
    [
        ("vector_arithmetic", "straight-line (Euclidean) distance"),
        ("multi_head", "scaled scores (divided by $\\sqrt{d_k}$)"),
        ("multi_head", "some with its sign changed"),
        ("encoder_block", "its scores divided by $\\sqrt{d_k}$"),
    ],
)
def test_a_statement_says_in_full_what_is_asked(key, says):
    assert says in draw(key, 1).statement


def test_a_path_has_a_beginning_and_an_end():
    problem = draw("path_and_cost", 1)
    ends = f"from position 1 to position {problem.givens['T']:g}"
    labels = [problem.fill_in(step.label) for step in problem.family.steps]
    assert [ends in label for label in labels] == [True, True, False]
