"""The guarantee, tested for every file in families/.

On every variant: a student who computes exactly, or rounds carefully on the way, is marked right;
every known mistake is caught at its step under its own name; nothing typed earns nothing.
"""

import json

import numpy as np
import pytest

from attention_core import draw, family, mark
from attention_core.catalogue import draw_unproved, problem_from_json, problem_to_json
from attention_core.errors import AuthorError, BadOptions, NoFitVariant, UnknownFamily
from attention_core.grading.mark import AnsweredItem, mark_many
from attention_core.grading.verdicts import BLANK
from attention_core.problems.rounding import CAREFUL, EXACT
from attention_core.proving import prove, prove_many, typed_answers
from tests.attention_core.drawn import every_family, problem_of, problems_of_every_size

SEEDS, MANY_SEEDS = 8, 100


def robots_of(problem):
    """Yield answers of each kind of student, with the step and the mistake to be named."""
    for way in (EXACT, *CAREFUL):
        right = problem.family.solve(problem.givens, way)
        yield typed_answers(problem, right), None, ""
        for step in problem.family.steps:
            for known in step.mistakes:
                if not known.when(problem.values):
                    continue
                with np.errstate(all="ignore"):
                    wrong = known.compute(way, right)
                if wrong.shape == right[step.key].shape:
                    yield typed_answers(problem, right | {step.key: wrong}), step.key, known.key


@pytest.mark.parametrize(
    "seeds",
    [range(SEEDS), pytest.param(range(SEEDS, MANY_SEEDS), marks=pytest.mark.slow)],
    ids=["some", "many"],
)
@every_family
def test_the_guarantee_holds_for_every_variant(key, seeds):
    tried = [
        (problem, *student)
        for problem in (proof.problem for proof in prove_many(family(key), seeds, {}))
        for student in robots_of(problem)
    ]
    marks = mark_many([AnsweredItem(problem, answers) for problem, answers, _, _ in tried])
    for (problem, answers, wrong_step, mistake), marked in zip(tried, marks, strict=True):
        context = (problem.seed, answers)
        if wrong_step is None:
            assert marked.verdict == "right", context
            continue
        judged = next(step for step in marked.steps if step.key == wrong_step)
        assert (judged.verdict, judged.mistake) == ("mistake", mistake), context
        assert judged.points < judged.out_of, context


@every_family
def test_every_size_it_offers_can_be_drawn(key):
    sizes = family(key).combinations()
    assert [dict(problem.options) for problem in problems_of_every_size(key)] == sizes


@every_family
def test_the_same_seed_gives_the_same_problem(key):
    three = problem_to_json(problem_of(key, 3))
    assert problem_to_json(draw(key, 3)) == three
    assert problem_to_json(problem_of(key, 4)) != three


@every_family
def test_a_problem_goes_to_json_and_back(key):
    problem = problem_of(key, 5)
    stored = json.loads(json.dumps(problem_to_json(problem), allow_nan=False))
    again = problem_from_json(stored)
    assert problem_to_json(again) == problem_to_json(problem)
    assert again.statement == problem.statement


@every_family
def test_givens_have_no_more_digits_than_are_shown(key):
    sizes = family(key).canonical({})
    for number in range(20):
        for given in draw_unproved(family(key), sizes, "digits", number).givens.values():
            assert np.array_equal(given, np.round(given, 2))


@every_family
def test_nothing_typed_earns_nothing(key):
    marked = mark(problem_of(key, 1), {})
    assert {step.verdict for step in marked.steps} == {BLANK}
    assert marked.points == 0


@every_family
def test_something_is_typed_at_every_step(key):
    assert all(typed.any() for typed in problem_of(key, 2).typed.values())


@every_family
def test_its_formulas_take_batches(key):
    problems = [problem_of(key, seed) for seed in range(5)]
    together = {
        name: np.stack([problem.givens[name] for problem in problems])
        for name in problems[0].givens
    }
    for way in (EXACT, *CAREFUL):
        batch = family(key).solve(together, way)
        for place, problem in enumerate(problems):
            alone = family(key).solve(problem.givens, way)
            for step in family(key).steps:
                assert np.allclose(batch[step.key][place], alone[step.key], atol=1e-12)


def test_the_numbers_drawn_never_change():
    """Stored variants and printed worked examples depend on this stream."""
    problem = draw("softmax_row", 7)
    assert problem.givens["scores"].tolist() == [1.8, -2.0, 1.5]
    assert problem.words["tokens"] == ("The", "baker", "sings")


def test_what_is_not_there_is_named():
    with pytest.raises(UnknownFamily, match=r"no family 'attend'; there are .*attention, "):
        draw("attend", 1)
    with pytest.raises(BadOptions, match="no option rows; it has tokens"):
        draw("softmax_row", 1, rows=2)
    with pytest.raises(BadOptions, match=r"tokens is one of \(3, 2, 4, 5\), not 9"):
        draw("softmax_row", 1, tokens=9)
    with pytest.raises(AuthorError, match="no step 'sum'"):
        family("softmax_row").step("sum")


def test_a_family_that_cannot_pass_says_why(monkeypatch):
    monkeypatch.setattr("attention_core.proving.MAX_TOLERANCE", 0.0)
    with pytest.raises(NoFitVariant, match=r"no fit variant in 3 draws; .*rounding strays too far"):
        prove(family("softmax_row"), 1, {}, most_draws=3)
