"""Due skills: a missed one after 1, 7 and 30 days, and at most some five minutes at once."""

from datetime import UTC, date, datetime, timedelta

import pytest

from quizzes.items.skills import Skill
from quizzes.practice.queries.skill_records import ItemScore, SkillRecord
from quizzes.practice.queries.spaced_review import (
    MINUTES_A_DAY,
    Review,
    minutes_for,
    next_review,
    next_reviews,
    select_due,
)

FIRST = date(2026, 3, 2)
COSINE = Skill("family", "cosine")


def record(*answers, skill=COSINE):
    """Return a record of answers, each as days since the first and whether it was missed."""
    noon = datetime(FIRST.year, FIRST.month, FIRST.day, 12, tzinfo=UTC)
    outcomes = [
        ItemScore(noon + timedelta(days), float(not missed), missed=missed)
        for days, missed in answers
    ]
    return SkillRecord(skill, tuple(outcomes))


MISS, RIGHT = True, False


@pytest.mark.parametrize(
    ("answers", "due_after"),
    [
        ([(0, MISS)], 1),
        ([(0, MISS), (1, RIGHT)], 1 + 7),
        ([(0, MISS), (5, RIGHT)], 5 + 7),  # a late answer counts from its own day
        ([(0, MISS), (0, RIGHT)], 1),  # too early to count
        ([(0, MISS), (1, RIGHT), (3, RIGHT)], 1 + 7),
        ([(0, MISS), (1, RIGHT), (8, RIGHT)], 8 + 30),
        ([(0, MISS), (1, RIGHT), (8, MISS)], 8 + 1),
    ],
)
def test_a_missed_skill_comes_back_after_1_7_and_30_days(answers, due_after):
    assert next_review(record(*answers)).on == FIRST + timedelta(due_after)


@pytest.mark.parametrize(
    "answers", [[(0, RIGHT)], [(0, MISS), (1, RIGHT), (8, RIGHT), (38, RIGHT)], []]
)
def test_what_was_never_missed_or_was_right_three_times_rests(answers):
    assert next_review(record(*answers)) is None


def test_the_newest_comes_first():
    older, newer = record((0, MISS)), record((2, MISS), skill=Skill("family", "distance"))
    assert [each.skill.key for each in next_reviews([older, newer])] == ["distance", "cosine"]


def test_five_minutes_are_offered_or_a_long_one_that_is_due_alone_and_the_rest_waits():
    keys = ("softmax_row", "attention", "cosine", "encoder_block", "dot_score", "multi_head")
    reviews = [Review(Skill("family", key), FIRST, 1) for key in keys]
    today = select_due(FIRST, reviews)
    assert 0 < today.minutes <= MINUTES_A_DAY
    assert today.waiting == len(keys) - len(today.reviews) > 0
    block = reviews[3]
    assert minutes_for(block.skill, smallest=True) > MINUTES_A_DAY
    assert select_due(FIRST, [block]).reviews == (block,)


def test_what_comes_later_is_listed_the_soonest_first_and_the_next_named_if_nothing_is_due():
    later, sooner, now = (Review(COSINE, FIRST + timedelta(days), 7) for days in (6, 1, 0))
    today = select_due(FIRST, [later, sooner, now])
    assert (today.reviews, today.coming, today.next_on) == ((now,), (sooner, later), None)
    today = select_due(FIRST, [later])
    assert (today.reviews, today.next_on) == ((), FIRST + timedelta(6))
    assert select_due(FIRST, []).next_on is None
