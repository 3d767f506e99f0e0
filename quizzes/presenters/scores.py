"""What an attempt earned, in figures."""

import math
from dataclasses import dataclass

from quizzes.models import Attempt
from quizzes.presenters import texts


@dataclass(frozen=True)
class Score:
    """What the attempt earned."""

    points: str
    out_of: str
    percent: str
    pass_mark: int | None
    passed: bool


def score_of(attempt: Attempt) -> Score:
    """The score in words; nobody reads the pass mark who has not reached it."""
    share = 100 * attempt.score / attempt.out_of if attempt.out_of else 0.0
    share += 1e-9  # points are sums of thirds and sevenths
    pass_mark = attempt.quiz.pass_mark if attempt.quiz else None
    return Score(
        points=texts.points_text(attempt.score),
        out_of=texts.points_text(attempt.out_of),
        percent=texts.points_text(math.floor(10 * share) / 10),
        pass_mark=pass_mark,
        passed=attempt.has_passed,
    )
