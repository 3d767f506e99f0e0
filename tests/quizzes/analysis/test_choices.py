"""Counts of choices: all of them for those who teach, and what other figures show to share."""

import pytest

from quizzes.analysis.choices import choice_counts
from quizzes.analysis.statistics import (
    MIN_GROUP,
    MIN_TO_SPLIT,
    NO_MINIMUM,
    Answered,
    StepOutcome,
    question_figures,
    thirds,
)


def chose(key, rest=0.5, right="a"):
    verdict = "blank" if not key else "right" if key in right else "mistake"
    points = float(verdict == "right")
    mistake = key if verdict == "mistake" else ""
    step = StepOutcome("answer", verdict, mistake, 1 - points)
    return Answered(points, 1, verdict, (step,), 1, key, rest, 1)


def counts(answers, fewest=NO_MINIMUM):
    return choice_counts(answers, "abcd", question_figures(answers, fewest), fewest)


def test_each_choice_has_its_count_and_the_right_one_is_credited():
    found = counts([chose("a")] * 3 + [chose("b")] * 2 + [chose("")] * 1)
    assert [(each.key, each.count) for each in found] == [
        *(("a", 3), ("b", 2), ("c", 0), ("d", 0), ("", 1))
    ]
    assert [each.key for each in found if each.is_credited] == ["a"]
    assert found[1].share == pytest.approx(1 / 3)


def test_a_choice_accepted_by_a_regrade_is_credited_and_a_removed_one_is_listed():
    found = counts([chose("a", right="ae")] * 3 + [chose("e", right="ae")] * 2)
    assert [each.key for each in found if each.is_credited] == ["a", "e"]
    assert found[-1].key == "e"


def test_the_best_and_the_weakest_third_choose_differently():
    found = counts([chose("b", 0.1)] * 5 + [chose("c")] * 5 + [chose("a", 0.9)] * 5)
    assert [(each.in_best, each.in_weakest) for each in found] == [(1, 0), (0, 1), (0, 0), (0, 0)]


def test_equal_students_are_split_in_equal_parts():
    answers = [chose("a")] * 9 + [chose("b")] * 6
    assert {*map(tuple, thirds(answers))} == {(1 / 3, 1 / 3)}
    assert [each.in_best for each in counts(answers)[:2]] == pytest.approx([9 / 15, 6 / 15])


def test_few_students_are_not_split():
    assert thirds([chose("a")] * (MIN_TO_SPLIT - 1)) is None
    assert counts([chose("a")] * 4)[0].in_best is None


def test_to_share_a_count_is_shown_only_if_other_figures_reveal_it():
    found = counts([chose("a")] * 20 + [chose("b")] * 6 + [chose("c")] * 2, MIN_GROUP)
    # 28 less 20 less 6 would be 2.
    assert [each.count for each in found] == [20, None, None, None]
    assert all(each.in_best is None for each in found)
    found = counts([chose("a")] * 20 + [chose("b")] * 6 + [chose("c")] * 5, MIN_GROUP)
    assert [each.count for each in found] == [20, 6, 5, None]


def test_to_share_two_right_choices_are_not_told_apart():
    answers = [chose("a", right="ab")] * 20 + [chose("b", right="ab")] * 2 + [chose("c")] * 6
    assert [each.count for each in counts(answers, MIN_GROUP)] == [None, None, 6, None]
