"""The verdict on an answer, its points, and the names of its cells."""

import numpy as np
import pytest

from attention_core import draw, mark
from attention_core.grading.mark import AnsweredItem, mark_many
from attention_core.grading.parse import MAX_LENGTH
from attention_core.grading.reviewing import follow, follow_through_values
from attention_core.grading.verdicts import OTHER_CHOICE
from attention_core.problems.family import Mistake
from tests.attention_core.drawn import every_family, problem_of, toy_problem, toy_step


def mistake(key, compute, **more):
    return Mistake(key, lambda way, v: compute(v), "Not this way.", **more)


DOUBLE = toy_step(
    "double",
    lambda way, v: 2 * v.x,
    mistake("kept", lambda v: v.x),
    mistake("kept_too", lambda v: v.x),
    mistake("tripled", lambda v: 3 * v.x, when=lambda v: v.x[..., 0] < 5),
)
SIGN_LOST = mistake("sign_lost", lambda v: np.abs(v.double) + 1)
PLUS_ONE = toy_step("plus_one", lambda way, v: v.double + 1, SIGN_LOST)


def doubling(*x):
    return toy_problem(x, DOUBLE, PLUS_ONE)


def verdicts(marked):
    return [f"{each.verdict}:{each.mistake}".rstrip(":") for each in marked.steps]


def test_a_vector_may_be_typed_as_a_matrix_of_one_row():
    assert verdicts(mark(doubling(1, 2), {"double": [["2", "4"]]}))[0] == "right"


def test_of_two_mistakes_that_look_alike_the_first_is_named():
    assert verdicts(mark(doubling(1, 2), {"double": ["1", "2"]}))[0] == "mistake:kept"


def test_a_mistake_is_named_only_where_it_applies():
    answered = ((doubling(1, 2), ["3", "6"]), (doubling(7, 2), ["21", "6"]))
    marks = mark_many([AnsweredItem(problem, {"double": typed}) for problem, typed in answered])
    assert [verdicts(each)[0] for each in marks] == ["mistake:tripled", "wrong"]


def test_what_follows_is_no_mistake_though_one_leads_there_too():
    answers = {"double": ["9", "1"], "plus_one": ["10", "2"]}
    assert verdicts(mark(doubling(1, -2), answers)) == ["wrong", "follows"]


@pytest.mark.parametrize(
    ("double", "plus_one", "verdict", "cells"),
    [
        (["2", "-4"], ["3", "-3"], "right", ["right", "right"]),
        (["9", "1"], ["10", "2"], "follows", ["right", "right"]),
        (["2", "-4"], ["3", "5"], "mistake:sign_lost", ["right", "wrong"]),
        (["2", "-4"], ["3", "-3.004"], "near", ["right", "near"]),
        (["9", "1"], ["10.004", "2"], "near", ["near", "right"]),
        (["2", "-4"], ["3", "8"], "partial", ["right", "wrong"]),
        (["2", "-4"], ["3", ""], "partial", ["right", "blank"]),
        (["2", "-4"], ["three", "8"], "wrong", ["unreadable", "wrong"]),
        (["2", "-4"], ["", " "], "blank", ["blank", "blank"]),
    ],
)
def test_cells_are_called_by_what_they_earn(double, plus_one, verdict, cells):
    marked = mark(doubling(1, -2), {"double": double, "plus_one": plus_one})
    assert verdicts(marked)[1] == verdict
    assert marked.steps[1].cells == cells


def test_what_is_typed_in_part_is_taken_as_right_for_what_follows():
    problem = doubling(1, -2)
    assert follow_through_values(follow(problem, {"double": ["9", ""]})) == {}
    own = follow_through_values(follow(problem, {"double": ["9", "-4"]}))
    assert own["plus_one"].tolist() == [10, -3]


def test_any_other_than_the_right_choice_is_a_mistake():
    problem = draw("find_the_slip", 1)
    (asked,) = (step for step in problem.family.steps if step.choices)
    places = range(len(problem.words[asked.choices]))
    marks = [mark(problem, {asked.key: str(place)}) for place in places]
    found = {place: verdicts(each)[0] for place, each in zip(places, marks, strict=True)}
    right = int(problem.values[asked.key])
    assert found.pop(right) == "right"
    assert set(found.values()) == {f"mistake:{OTHER_CHOICE}"}


@pytest.mark.parametrize(
    ("off", "verdict"), [(0.001, "right"), (0.0011, "near"), (0.005, "near"), (0.0051, "wrong")]
)
def test_near_is_within_five_tolerances(off, verdict):
    answers = {"double": [f"{2 + off:.4f}", f"{4 - off:.4f}"]}
    marked = mark(doubling(1, 2), answers)
    assert verdicts(marked)[0] == verdict
    assert marked.steps[0].points == {"right": 1, "near": 0.5, "wrong": 0}[verdict]


def test_the_longest_number_that_is_read_is_marked():
    longest = [text.rjust(MAX_LENGTH, "0") for text in ("2", "4")]
    assert verdicts(mark(doubling(1, 2), {"double": longest}))[0] == "right"
    too_long = mark(doubling(1, 2), {"double": [f"0{text}" for text in longest]})
    assert too_long.steps[0].cells == ["unreadable", "unreadable"]


@every_family
def test_whole_numbers_and_choices_have_no_tolerance(key):
    problem = problem_of(key, 1)
    for asked in problem.family.steps:
        exact = asked.decimals == 0 or bool(asked.choices)
        assert (problem.tolerance[asked.key] == 0) is exact
