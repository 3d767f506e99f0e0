"""Credit for steps that follow from a student's own wrong step, and its limits."""

from fractions import Fraction

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from attention_core import draw, formulas, mark
from attention_core.grading.mark import AnsweredItem, mark_many
from attention_core.grading.reviewing import follow, follow_through_values
from attention_core.problems.family import Values
from attention_core.problems.rounding import EXACT
from attention_core.proving import prove, typed_answers
from tests.attention_core.drawn import FAMILIES, every_family_of_steps, problem_of
from tests.each import each


def text(array):
    return [text(row) for row in array] if isinstance(array, list | np.ndarray) else f"{array:.3f}"


def verdicts(marked):
    return [step.verdict for step in marked.steps]


def far_off(problem, step):
    """Return an answer that is no known mistake: every sign changed, and an odd amount off."""
    exact = problem.values[step.key]
    if step.choices:
        return (exact + 1) % len(problem.words[step.choices])
    if step.decimals == 0:
        return exact + 7
    off = np.round(0.713 - exact, step.decimals)
    # A result that is never negative stays so: no deviation follows from a variance below 0.
    return np.abs(off) if (exact >= 0).all() else off


@every_family_of_steps
@each("seed", range(8))
def test_a_right_continuation_of_a_wrong_step_earns_its_marks(key, seed):
    problem = problem_of(key, seed)
    steps = problem.family.steps
    values = Values(problem.givens)
    values[steps[0].key] = far_off(problem, steps[0])
    for step in steps[1:]:
        values[step.key] = np.round(step.compute(EXACT, values), step.decimals)
    marked = mark(problem, typed_answers(problem, values))
    assert marked.steps[0].verdict in ("wrong", "partial") or steps[0].choices
    assert set(verdicts(marked)[1:]) <= {"follows", "right"}
    assert marked.points >= len(steps) - 2


@every_family_of_steps
@each("seed", range(8))
def test_a_silly_start_does_not_make_the_rest_easy(key, seed):
    problem = problem_of(key, seed)
    zeros = {key: np.zeros_like(exact) for key, exact in problem.solution.items()}
    assert "follows" not in verdicts(mark(problem, typed_answers(problem, zeros)))


@every_family_of_steps
@each("typed", ["0", "1", "-3", "7", "1e300"])
def test_whatever_was_typed_what_follows_has_the_shape_of_its_step(key, typed):
    problem = problem_of(key, 1)
    answers = {}
    for step, exact in problem.solution.items():
        answers[step] = np.full(exact.shape, typed, dtype=object).tolist()
    own = follow_through_values(follow(problem, answers))
    assert {step: array.shape for step, array in own.items()} == {
        step: problem.solution[step].shape for step in own
    }


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
        lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=3), inner),
        max_leaves=12,
    )
)
def test_marking_never_raises_for_what_was_sent(answer):
    problem = problem_of("attention", 2)
    marked = mark(problem, {"scores": answer, "weights": answer, "unknown": answer})
    assert 0 <= marked.points <= marked.out_of


ANSWERS = st.sampled_from(["0.5", "-1", "", "x", "1/3", "0,25", "nan", "2", "0.333"])


@given(st.data())
def test_many_are_marked_as_each_would_be_alone(data):
    keys = data.draw(st.lists(st.sampled_from(FAMILIES), min_size=1, max_size=6))
    items = []
    for key in keys:
        problem = problem_of(key, data.draw(st.integers(0, 3)))
        answers = {}
        for step in problem.family.steps:
            exact = problem.values[step.key]
            if data.draw(st.booleans()):
                answers[step.key] = text(exact.tolist())
            else:
                flat = [data.draw(ANSWERS) for _ in range(exact.size)]
                answers[step.key] = np.array(flat, dtype=object).reshape(exact.shape).tolist()
        items.append(AnsweredItem(problem, answers, Fraction(data.draw(st.integers(1, 3)))))
    alone = [mark(item.problem, item.answers, item.points) for item in items]
    assert mark_many(items) == alone


def test_versions_of_a_problem_are_marked_together_each_by_its_own_formulas():
    versions = [
        formulas.read(f"x: tenths(2)\ny = {formula}", "own_doubled", version=number)
        for number, formula in enumerate(("3 * x", "2 * x"), start=1)
    ]
    problems = [prove(version, 1, {}).problem for version in versions]
    items = [AnsweredItem(each, {"y": text(each.values["y"])}) for each in problems]
    assert [marked.verdict for marked in mark_many(items)] == ["right", "right"]


def test_points_are_shared_evenly_over_the_steps():
    problem = draw("dot_score", 1)
    marked = mark(problem, {"score": f"{problem.values['score']:.3f}"}, Fraction(3))
    assert marked.points == Fraction(3, 2)
    assert marked.out_of == 3


def test_fixed_cells_are_not_typed_and_do_not_count():
    problem = draw("causal_attention", 1)
    assert problem.cells == 5
    right = text(problem.values["weights"].tolist())
    right[2][2] = "9"
    marked = mark(problem, {"weights": right})
    assert marked.points == Fraction(4, 5)
    assert marked.steps[0].cells[0] == ["fixed"] * 3


def test_a_solution_of_other_numbers_steps_or_shapes_is_a_changed_one():
    problem = draw("softmax_row", 1)
    weights = problem.values["weights"]
    stored = [
        *(problem.solution, {"weights": weights + 1e-12}),
        *({"weights": weights + 0.001}, {"weights": weights[:-1]}),
        *({"shares": weights}, {"weights": weights, "sum": weights.sum()}),
    ]
    marks = mark_many([AnsweredItem(problem, {}, solution=solution) for solution in stored])
    assert [marked.solution_changed for marked in marks] == [False] * 2 + [True] * 4
