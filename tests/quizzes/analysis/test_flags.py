"""Flags: limits of each figure, from how many students on, and their order."""

import pytest

from quizzes.analysis.flags import MIN_TO_FLAG, flags_of, urgency
from quizzes.analysis.statistics import MIN_TO_CORRELATE, Figures


def flags(asked=MIN_TO_CORRELATE, **figures):
    usual = {"facility": 0.6, "discrimination": 0.3, "omission": 0.0}
    return flags_of(Figures(asked, **(usual | figures)))


@pytest.mark.parametrize(
    ("figures", "expected"),
    [
        ({}, []),
        ({"discrimination": -0.01}, ["negative"]),
        ({"discrimination": 0.0}, []),
        ({"facility": 0.19}, ["hard"]),
        ({"facility": 0.2}, []),
        ({"facility": 0.96}, ["easy"]),
        ({"facility": 0.95}, []),
        ({"omission": 2 / 3}, ["blank"]),
        ({"omission": 0.66}, []),
        ({"facility": None, "discrimination": None, "omission": None}, []),
        ({"facility": 0.1, "discrimination": -0.2, "omission": 0.7}, ["negative", "hard", "blank"]),
    ],
)
def test_it_flags_what_stands_out(figures, expected):
    assert flags(**figures) == expected


def test_of_few_students_nothing_is_flagged():
    assert flags(MIN_TO_FLAG, facility=0.1) == ["hard"]
    assert flags(MIN_TO_FLAG - 1, facility=0.1, omission=1.0) == []
    assert flags(MIN_TO_CORRELATE - 1, discrimination=-0.5) == []


def test_what_may_be_chance_and_what_is_easy_come_last():
    found = [
        Figures(114, 0.97, 0.2, 0.0),
        Figures(20, 0.6, -0.1, 0.0),
        Figures(114, 0.1, 0.2, 0.0),
        Figures(114, 0.6, -0.4, 0.0),
    ]
    assert sorted(found, key=lambda each: -urgency(each)) == found[::-1]
