"""What an attempt earned, in figures."""

import math
from dataclasses import dataclass

from quizzes.items.presenters import texts
from quizzes.models import Attempt


@dataclass(frozen=True)
class Score:
    """What the attempt earned."""

    points: str
    out_of: str
    percent: str
    pass_mark: int | None
    passed: bool


def score_of(attempt: Attempt) -> Score:
    """The score in words; nobody reads the pass mark, or that all is right, by rounding alone."""
    share = 100 * attempt.score / attempt.out_of if attempt.out_of else 0.0
    share += 1e-9  # points are sums of thirds and sevenths
    pass_mark = attempt.quiz.pass_mark if attempt.quiz else None
    percent = round(share, 1)
    if percent in (pass_mark, 100):
        percent = math.floor(10 * share) / 10
    return Score(
        points=texts.points_text(attempt.score),
        out_of=texts.points_text(attempt.out_of),
        percent=texts.points_text(percent),
        pass_mark=pass_mark,
        passed=attempt.has_passed,
    )
