"""Marks for a step that continues the student's own earlier ones: cells, points, tolerance."""

from dataclasses import replace
from itertools import count

import numpy as np
import pytest

from attention_core import draw, families, mark
from attention_core.catalogue import draw_unproved
from attention_core.grading.mark import AnsweredItem, mark_many
from attention_core.grading.reviewing import follow, follow_through_values
from attention_core.problems.family import Mistake, Values
from attention_core.problems.rounding import EXACT
from attention_core.problems.tolerance import UNIT, is_within, step_tolerances
from attention_core.proving import (
    _unfit_reason_before_marking,
    known_mistakes,
    typed_answers,
    unfit_reason,
)
from tests.attention_core.drawn import (
    MULTI_STEP,
    every_family,
    every_family_of_steps,
    problem_of,
    toy_problem,
    toy_step,
)
from tests.each import each

TRIVIAL = ("uniform", "hard_max")


def mistake(key, compute):
    return Mistake(key, compute, "Not this way.")


def times_of(factor, way=lambda way, result: result):
    """Return a problem that doubles two numbers and then multiplies them by the factor."""
    return toy_problem(
        (1.0, 2.0),
        toy_step("double", lambda way, v: 2 * v.x, mistake("kept", lambda way, v: v.x)),
        toy_step(
            "times",
            lambda rounding, v: way(rounding, factor * v.double),
            mistake("sign_lost", lambda way, v: np.abs(factor * v.double)),
            mistake("slip", lambda way, v: factor * v.double + 0.004),
        ),
    )


def last(marked):
    step = marked.steps[-1]
    return step.verdict, step.mistake, step.points


@each(
    "why, double, times, judged, cells",
    [
        ("a slip costs its cell", ["1", "2"], ["3", "7"], ("partial", "", 0.5), "right wrong"),
        ("more are exact", ["1", "2"], ["6", "7"], ("partial", "", 0.5), "right wrong"),
        ("all are exact", ["2", "-4"], ["6", "12"], ("right", "", 1), "right right"),
        ("named", ["9", "-1"], ["27", "3"], ("mistake", "sign_lost", 0.5), "right wrong"),
        ("also near", ["9", "1"], ["27.004", "3.005"], ("mistake", "slip", 0.5), "near near"),
        ("equal cells", ["-1", "-1"], ["-3", "-3"], ("follows", "", 1), "right right"),
        ("zeros", ["0", "0"], ["0", "0"], ("wrong", "", 0), "wrong wrong"),
    ],
)
def test_a_step_after_own_numbers_earns_what_agrees_with_them(why, double, times, judged, cells):
    marked = mark(times_of(3), {"double": double, "times": times})
    assert last(marked) == judged
    assert marked.steps[-1].cells == cells.split()


def test_near_earns_no_less_than_its_right_cells():
    problem = draw("softmax_row", 7)
    cells = typed_answers(problem, problem.values)["weights"]
    cells[0] = f"{problem.values.weights[0] + 2 * problem.tolerance['weights']:.4f}"
    assert last(mark(problem, {"weights": cells})) == ("near", "", pytest.approx(2 / 3))


@pytest.mark.parametrize(
    ("factor", "off", "verdict", "tolerance"),
    [
        (3, 0.001, "follows", None),  # within the step's own tolerance: nothing to work out
        (3, 0.002, "follows", 0.002),  # 3 · 0.0005 + 0.0005
        (3, 0.0021, "near", 0.002),
        (4, 0.003, "follows", 0.003),
        (20, 0.005, "follows", 0.005),  # the upper limit
        (20, 0.0051, "wrong", None),
    ],
)
def test_who_carries_all_figures_is_right_within_what_the_typed_ones_may_hide(
    factor, off, verdict, tolerance
):
    typed = [f"{factor * own + off:.4f}" for own in (9, 1)]
    marked = mark(times_of(factor), {"double": ["9", "1"], "times": typed})
    assert marked.steps[-1].verdict == verdict
    assert marked.steps[-1].tolerance == tolerance


def test_who_rounds_on_the_way_from_own_numbers_is_right_too():
    def coarse(way, result):
        return result if way.exact else result + 0.0035

    answers = {"double": ["9", "1"], "times": ["27.003", "3.004"]}
    marked = mark(times_of(3, coarse), answers)
    assert (marked.steps[-1].verdict, marked.steps[-1].tolerance) == ("follows", 0.004)


def test_of_words_equally_likely_none_follows():
    problem = draw("next_token", 7)
    same = [["0.333"] * 3]
    marks = [mark(problem, {"probabilities": same, "token": str(n)}) for n in range(3)]
    assert sorted(marked.steps[-1].verdict for marked in marks) == ["mistake", "mistake", "right"]


@every_family
def test_every_softmax_and_blend_names_equal_weights_and_the_lone_choice(key):
    told_by = {"no_exponential", "mixed_keys", "weight_column", "unmixed", *TRIVIAL}
    for asked in families()[key].steps:
        keys = {known.key for known in asked.mistakes}
        assert not keys & told_by or keys >= {*TRIVIAL}, asked.key


def is_trivial(problem, asked, values, slack=0.0):
    """Return whether equal weights or the lone choice give nearly every row."""
    right = asked.compute(EXACT, values)
    ways = [known.compute(EXACT, values) for known in asked.mistakes if known.key in TRIVIAL]
    tolerance = problem.tolerance[asked.key] + slack
    alike = [is_within(right, trivial, tolerance).all(axis=-1) for trivial in ways]
    return bool(np.any(alike, axis=0).all()) if alike else False


def carried_on(problem, values, start):
    """Compute all steps after the start, unrounded. Return the keys of those that can be followed.

    None can after values that are all 0 or make a step trivial.
    """
    steps = problem.family.steps
    at = steps.index(start)
    followed, own = [], np.any(values[start.key])
    with np.errstate(all="ignore"):
        for later in steps[at + 1 :]:
            own = own and not is_trivial(problem, later, values, slack=0.0015)
            values[later.key] = later.compute(EXACT, values)
            if own and np.isfinite(values[later.key]).all():
                followed.append(later.key)
            own = own and bool(np.any(values[later.key]))
    return followed


@every_family_of_steps
def test_whatever_mistake_was_made_who_carries_all_figures_earns_the_rest(key):
    items, wanted = [], []
    for seed in range(2):
        problem = problem_of(key, seed)
        for start in problem.family.steps[:-1]:
            for _, wrong in known_mistakes(problem, start):
                values = Values(problem.values | {start.key: wrong})
                wanted.append(carried_on(problem, values, start))
                items.append(AnsweredItem(problem, typed_answers(problem, values)))
    for item, followed, marked in zip(items, wanted, mark_many(items), strict=True):
        verdicts = {each.key: each.verdict for each in marked.steps if each.key in followed}
        assert set(verdicts.values()) <= {"right", "follows"}, (item.problem.seed, verdicts)


def nearly_proved(key, seed, options):
    """Return the first draw that passes every proof but the marking, which is expensive."""
    family, draws, cause = families()[key], count(), "not drawn yet"
    with np.errstate(all="ignore"):
        while cause:
            drawn = draw_unproved(family, family.canonical(options), seed, next(draws))
            tolerance = step_tolerances(family, drawn.givens, drawn.values)
            problem = replace(drawn, tolerance=tolerance)
            cause = _unfit_reason_before_marking(problem)
    return problem


def not_credited(key, seeds):
    """Return later steps worked rightly from a named mistake that earn nothing, with the mistake.

    Steps that equal weights or the lone choice would answer alike do not count, and neither do
    steps without a right answer: a choice between equals.
    """
    found, sizes = set(), families()[key].combinations()
    for at, options in enumerate(sizes):
        chosen = [f"zeros {seed}" for seed in seeds if seed % len(sizes) == at]
        tried = [
            (problem, start, known.key, worked_on(problem, start, wrong))
            for problem in [nearly_proved(key, seed, options) for seed in chosen]
            for start in problem.family.steps[:-1]
            for known, wrong in known_mistakes(problem, start)
        ]
        marks = mark_many(
            [AnsweredItem(problem, typed_answers(problem, own)) for problem, _, _, own in tried]
        )
        for (problem, start, mistake, own), marked in zip(tried, marks, strict=True):
            earned = {each.key for each in marked.steps if each.verdict in ("right", "follows")}
            found |= {
                (problem.seed, start.key, mistake, later.key)
                for later in steps_after(problem, start)
                if later.key not in earned
                and np.isfinite(own[later.key]).all()
                and not is_trivial(problem, later, own, slack=UNIT)
                and not unfit_reason(problem)
            }
    return found


def steps_after(problem, start):
    return problem.family.steps[problem.family.steps.index(start) + 1 :]


def worked_on(problem, start, wrong):
    """Return values in which every step after the start continues the typed ones before it."""
    values = Values(problem.values | {start.key: np.round(wrong, start.decimals)})
    with np.errstate(all="ignore"):
        for later in steps_after(problem, start):
            decimals = 0 if later.choices else later.decimals
            values[later.key] = np.round(later.compute(EXACT, values), decimals)
    return values


@every_family_of_steps
def test_whatever_mistake_was_made_who_goes_on_rightly_from_it_earns_the_rest(key):
    assert not not_credited(key, range(12))


@pytest.mark.slow
@pytest.mark.parametrize("key", MULTI_STEP)
def test_whatever_mistake_was_made_in_a_thousand_variants_too(key):
    assert not not_credited(key, range(12, 1_000))


def silly_starts(shape):
    zeros = np.zeros(shape)
    hardly, spike = zeros.copy(), zeros.copy()
    hardly.flat[0], spike.flat[0] = 0.001, 1000.0
    yield from (zeros, hardly, spike, zeros + 1, zeros - 3)
    if zeros.ndim == 2:
        diagonal = 1000 * np.eye(*shape)
        yield from (diagonal, np.where(np.arange(shape[0])[:, None] == 0, diagonal, 0.0))


@every_family_of_steps
def test_a_start_that_makes_a_softmax_or_a_blend_trivial_is_not_followed_there(key):
    for seed in range(2):
        problem = problem_of(key, seed)
        for at, start in enumerate(problem.family.steps[:-1]):
            for silly in silly_starts(problem.values[start.key].shape) if start.decimals else ():
                values = Values(problem.values | {start.key: silly})
                carried_on(problem, values, start)
                marked = mark(problem, typed_answers(problem, values))
                judged = {each.key: each.verdict for each in marked.steps}
                for asked in problem.family.steps[at + 1 :]:
                    if is_trivial(problem, asked, values):
                        assert judged[asked.key] not in ("right", "follows"), (seed, asked.key)


def test_exact_values_handed_on_allow_no_other_continuation():
    own = follow_through_values(
        follow(draw("attention", 1), {"scores": [["1000", "0"], ["0", "1000"]]})
    )
    assert list(own) == ["scaled"]
