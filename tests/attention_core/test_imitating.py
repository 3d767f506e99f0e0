"""Answers of people who do not exist have just the mistakes in them that they are said to make."""

from random import Random

import pytest

from attention_core import draw, families, mark
from attention_core.grading.verdicts import MISTAKE, RIGHT
from attention_core.imitating import Habits, imitated
from attention_core.proving import known_mistakes

FAMILIES = sorted(families())


@pytest.mark.parametrize("key", FAMILIES)
def test_whoever_is_sure_of_everything_is_right(key):
    problem = draw(key, seed=3)
    assert mark(problem, imitated(problem, Habits(), Random(1))).verdict == RIGHT


@pytest.mark.parametrize("key", FAMILIES)
def test_whoever_has_a_misconception_is_marked_for_it_where_it_is_made_first(key):
    problem = draw(key, seed=3)
    known = {
        mistake.key: step.key
        for step in reversed(problem.family.steps)
        for mistake, _ in known_mistakes(problem, step)
    }
    for mistake, place in known.items():
        answer = imitated(problem, Habits(mistakes={mistake: 1.0}), Random(1))
        (step,) = (each for each in mark(problem, answer).steps if each.key == place)
        assert (step.verdict, step.mistake) == (MISTAKE, mistake)


@pytest.mark.parametrize("key", FAMILIES)
def test_whoever_knows_nothing_types_what_can_be_marked(key):
    problem = draw(key, seed=3)
    for seed in range(20):
        answer = imitated(problem, Habits(sure=0.0), Random(seed))
        assert mark(problem, answer).verdict != RIGHT


def test_the_same_chance_gives_the_same_answer():
    problem = draw("attention", seed=3)
    habits = Habits(sure=0.5, mistakes={"unscaled": 0.5})
    once, again = (imitated(problem, habits, Random(5)) for _ in range(2))
    assert once == again
    assert any(imitated(problem, habits, Random(seed)) != once for seed in range(10))
