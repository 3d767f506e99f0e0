"""A slot's figures cover all its questions; in the version to share none follows by subtraction."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quizzes.analysis.slots import quiz_figures
from quizzes.analysis.statistics import MIN_GROUP, NO_MINIMUM, Answered, StepOutcome


def answer(position, share=1.0):
    verdict = "right" if share == 1 else "wrong"
    return Answered(share, 1, verdict, (StepOutcome("s", verdict, "", 1 - share),), position)


POOL = {
    "a": [answer(1)] * 6 + [answer(1, 0.0)] * 6,
    "b": [answer(1)] * 9,
    "c": [answer(2)] * 15 + [answer(2, 0.0)] * 6,
}


def test_a_slot_covers_all_its_questions():
    pool, single = quiz_figures(POOL, NO_MINIMUM).slots
    assert (pool.position, pool.asked, pool.figures.asked) == (1, ["a", "b"], 21)
    assert pool.figures.facility == pytest.approx(15 / 21)
    assert [each.facility for each in pool.questions.values()] == [0.5, 1.0]
    assert (single.asked, single.figures.facility) == (["c"], pytest.approx(15 / 21))


def test_a_question_in_two_slots_has_figures_in_each_and_of_both():
    found = quiz_figures({"a": [answer(1)] * 5 + [answer(2, 0.0)] * 5}, NO_MINIMUM)
    assert [each.figures.facility for each in found.slots] == [1.0, 0.0]
    assert found.questions["a"].facility == 0.5


def test_to_share_a_slot_of_several_questions_is_shown_as_a_whole():
    found = quiz_figures(POOL, MIN_GROUP)
    assert [each.figures.asked for each in found.slots] == [21, 21]
    assert [list(each.questions) for each in found.slots] == [[], ["c"]]
    assert list(found.questions) == ["c"]


@given(st.lists(st.tuples(st.sampled_from("abc"), st.integers(1, 3)), max_size=60))
def test_to_share_no_answer_is_in_two_groups(asked):
    """Groups that overlap could be subtracted from one another."""
    answers = {}
    for key, position in asked:
        answers.setdefault(key, []).append(answer(position))
    found = quiz_figures(answers, MIN_GROUP)
    alone = [(each, key) for each in found.slots for key in each.questions]
    assert all(each.figures is each.questions[key] for each, key in alone)
    assert sorted(key for _slot, key in alone) == sorted(found.questions)
    assert sum(each.figures.asked for each in found.slots) == len(asked)
