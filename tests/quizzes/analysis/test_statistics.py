"""Statistics equal independent ones, and never reveal a small group, even by subtraction."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from quizzes.analysis.statistics import (
    MIN_GROUP,
    MIN_TO_CORRELATE,
    NO_MINIMUM,
    Answered,
    StepOutcome,
    distribution,
    group_by_question,
    interval_around,
    pearson_correlation,
    question_figures,
    score_edges,
    suppress_small_counts,
    time_edges,
)

SHARES = st.sampled_from([0.0, 0.25, 1 / 3, 0.5, 1.0])
# Students by questions; None: not asked. Some questions are the same for all.
MATRICES = st.integers(2, 6).flatmap(
    lambda width: st.lists(
        st.lists(st.none() | SHARES, min_size=width, max_size=width), min_size=20, max_size=40
    )
)


def step_answered(share, verdict=None, mistake="", out_of=2, step="s"):
    verdict = verdict or ("right" if share == 1 else "wrong")
    points = share * out_of
    return Answered(
        points, out_of, verdict, (StepOutcome(step, verdict, mistake, out_of - points),)
    )


def of(**counts):
    """Return answers of one step: numbers of right, blank and wrong ones, and by mistake."""
    made = [step_answered(1)] * counts.pop("right", 0)
    made += [step_answered(0, "blank")] * counts.pop("blank", 0)
    made += [step_answered(0)] * counts.pop("wrong", 0)
    for mistake, count in counts.items():
        made += [step_answered(0, "mistake", mistake)] * count
    return made


# Independent arithmetic


@given(MATRICES, st.integers(0, 5))
def test_facility_and_discrimination_are_those_of_an_independent_computation(matrix, constant):
    for row in matrix:
        if constant < len(row) and row[constant] is not None:
            row[constant] = 1.0
    attempts = [
        {n: step_answered(share, out_of=n + 1) for n, share in enumerate(row) if share is not None}
        for row in matrix
    ]
    worth = np.arange(1, len(matrix[0]) + 1)
    table = np.array([[np.nan if share is None else share for share in row] for row in matrix])
    earned, out_of = table * worth, np.where(np.isnan(table), np.nan, worth)
    for n, answers in group_by_question(attempts).items():
        asked = ~np.isnan(table[:, n])
        others = np.arange(table.shape[1]) != n
        rest = np.nansum(earned[:, others], axis=1)
        rest_out_of = np.nansum(out_of[:, others], axis=1)
        pairs = asked & (rest_out_of > 0)
        found = question_figures(answers)
        assert found.asked == asked.sum()
        if found.facility is not None:
            assert found.facility == pytest.approx(table[asked, n].mean())
        own, share = table[pairs, n], rest[pairs] / rest_out_of[pairs]
        constant_one = np.ptp(own) < 1e-9 or np.ptp(share) < 1e-9 if pairs.any() else True
        if found.asked < MIN_GROUP or pairs.sum() < MIN_TO_CORRELATE or constant_one:
            assert found.discrimination is None
        else:
            from scipy import stats  # takes half a second to import, in every process of a run

            expected = stats.pearsonr(own, share).statistic
            assert found.discrimination == pytest.approx(expected, abs=1e-9)


@given(st.lists(st.floats(0, 100), min_size=MIN_GROUP, max_size=200))
def test_a_distribution_has_the_mean_and_the_quartiles_of_numpy(values):
    found = distribution(values, score_edges())
    assert found.mean == pytest.approx(np.mean(values))
    assert found.median == pytest.approx(np.median(values), abs=1e-9)
    if found.lower is not None:
        assert [found.lower, found.upper] == pytest.approx(
            list(np.percentile(values, [25, 75])), abs=1e-9
        )
    counts, _edges = np.histogram(values, score_edges())
    for each, count in zip(found.bins, counts, strict=True):
        # numpy's edges have no tolerance.
        if each.count and not any(abs(value - edge) < 1e-6 for value in values for edge in
                                  (each.low, each.high)):  # fmt: skip
            assert each.count == count


def test_times_get_bins_that_nearly_all_fit_into():
    assert time_edges([]) == [0, 1, 2]
    assert time_edges([3.0] * 40 + [20_000.0])[-1] == 4
    assert time_edges([22.0] * 9)[-1] == 24
    assert distribution([3.0] * 40 + [20_000.0] * 9, time_edges([3.0] * 40)).bins[-1].count == 49


def test_rounding_makes_no_correlation_of_what_is_the_same():
    assert pearson_correlation([0.1 + 0.2, 0.3] * 10, list(range(20))) is None
    assert pearson_correlation(list(range(20)), list(range(20))) == pytest.approx(1)


# Hidden counts


@given(st.dictionaries(st.integers(0, 9), st.integers(0, 12)))
def test_no_count_of_few_is_shown_and_none_follows_from_the_others(counts):
    found = suppress_small_counts(counts)
    assert all(count == 0 or count >= MIN_GROUP for count in found.shown.values())
    assert found.together == sum(counts[key] for key in found.kept)
    assert set(found.shown) | found.kept == set(counts)
    if found.kept and any(found.shown.values()):
        assert len(found.kept) > 1
        assert found.together >= MIN_GROUP
    if all(count == 0 or count >= MIN_GROUP for count in counts.values()):
        assert not found.kept


@given(st.floats(0, 1), st.integers(MIN_GROUP, 500))
def test_an_interval_holds_the_share_and_has_room_for_five(share, count):
    low, high = interval_around(share, count)
    assert low - 1e-9 <= share <= high + 1e-9
    assert (high - low) * count >= MIN_GROUP - 1e-9


def test_nothing_is_shown_of_fewer_than_five():
    found = question_figures(of(right=2, unscaled=2))
    assert (found.asked, found.facility, found.omission, found.mistakes) == (4, None, None, ())
    assert not distribution([50.0] * 4, score_edges()).is_published


def test_without_a_minimum_all_is_shown():
    found = question_figures(of(right=1, unscaled=1), fewest=NO_MINIMUM)
    assert (found.asked, found.facility, found.omission) == (2, 0.5, 0.0)
    assert [(each.key, each.count) for each in found.mistakes] == [("unscaled", 1)]
    lies = distribution([50.0, 80.0, 80.0], score_edges(), fewest=NO_MINIMUM)
    assert [each.count for each in lies.bins] == [0, 0, 0, 0, 0, 1, 0, 0, 2, 0]
    assert (lies.together, lies.median, lies.lower) == (0, 80.0, 65.0)
    assert not distribution([], score_edges(), fewest=NO_MINIMUM).is_published
    assert distribution([50.0], score_edges(), fewest=NO_MINIMUM).mean == 50.0


def test_a_mistake_of_few_is_not_shown_and_cannot_be_worked_out():
    found = question_figures(of(right=20, unscaled=6, doubled=2))
    # 28 less 20 less 6 would be 2.
    assert found.mistakes == ()
    assert found.facility == pytest.approx(20 / 28)
    assert found.omission == 0
    assert [
        each.key for each in question_figures(of(right=20, unscaled=6, doubled=5)).mistakes
    ] == ["unscaled", "doubled"]


def test_the_share_of_the_right_ones_reveals_no_more_than_their_number():
    found = question_figures(of(right=31, blank=2))
    assert found.facility is None
    assert found.facility_within == pytest.approx((5 / 6, 1))
    assert (found.omission, found.omission_within) == (None, pytest.approx((0, 1 / 6)))


def test_of_several_steps_each_has_its_mistakes():
    def made(first, second, share):
        steps = (
            StepOutcome("first", "mistake" if first else "right", first, 1.0 if first else 0.0),
            StepOutcome("second", "mistake" if second else "right", second, 0.5 if second else 0.0),
        )
        return Answered(share, 2, "partial", steps)

    answers = [made("unscaled", "", 1)] * 6 + [made("", "uniform", 1.5)] * 7
    answers += [made("", "", 2)] * 8 + [made("doubled", "", 1)] * 3
    found = question_figures(answers)
    assert [(each.step, each.key, each.count, each.lost) for each in found.mistakes] == [
        ("first", "unscaled", 6, 6.0),
        ("second", "uniform", 7, 3.5),
    ]
    assert found.mistakes[0].share == pytest.approx(6 / 24)


def test_what_is_void_counts_nowhere():
    void = [Answered(0, 0, "right", (StepOutcome("s", "right", "", 0.0),))] * 9
    assert question_figures(void).asked == 0
    assert question_figures(void + of(right=6, unscaled=6)).facility == 0.5


@given(st.lists(st.sampled_from(["right", "blank", "wrong", "a", "b", "c"]), max_size=40))
def test_nothing_of_a_question_of_one_step_gives_a_small_group_away(outcomes):
    """The total, less all shown counts, is nobody or five."""
    counts = Counter(outcomes)
    assume(sum(counts.values()) >= MIN_GROUP)
    found = question_figures(of(**counts))
    known = {each.key: each.count for each in found.mistakes}
    if found.facility is not None:
        known["right"] = round(found.facility * found.asked)
    if found.omission is not None:
        known["blank"] = round(found.omission * found.asked)
    assert all(counts[key] == count for key, count in known.items())
    assert all(count == 0 or count >= MIN_GROUP for count in known.values())
    left = found.asked - sum(known.values())
    assert left == 0 or left >= MIN_GROUP
    assert sum(counts.values()) == found.asked
