"""Every step of every family has hints: a nudge, its formula, its first cell."""

import re
from dataclasses import replace

import pytest

import attention_core
from attention_core.errors import AuthorError
from attention_core.problems.family import PARTS
from tests.attention_core.drawn import every_family, problem_of
from tests.each import each

FAMILIES = attention_core.families()
STEPS = {f"{family.key}-{step.key}": step for family in FAMILIES.values() for step in family.steps}


@each("key", STEPS)
def test_a_step_has_a_nudge_of_one_or_two_sentences_without_a_solution_and_a_formula(key):
    nudge, formula = STEPS[key].nudge, STEPS[key].formula
    assert re.fullmatch(r"[A-Z].{15,140}[.?]", nudge)
    assert nudge != STEPS[key].how
    assert len(re.findall(r"[.?](?= |$)", nudge)) <= 2
    assert re.search(r"[A-Za-z]", formula)
    assert formula.count("{") == formula.count("}")
    assert not re.search(r"\d\.\d", formula)


@every_family
def test_a_step_has_a_first_cell_that_is_worked_out_with_its_numbers(key):
    problem = problem_of(key, 7)
    for step in problem.family.steps:
        assert step.worked(problem.values).strip()


def test_every_part_of_the_model_has_families_and_every_family_a_part():
    assert {family.part for family in FAMILIES.values()} == set(PARTS)


def test_a_part_that_the_model_does_not_have_is_refused():
    with pytest.raises(AuthorError, match="'tail' is no part of the model"):
        replace(FAMILIES["cosine"], part="tail")
