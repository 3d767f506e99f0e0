"""The score of an attempt, in figures."""

import math
from dataclasses import dataclass

from quizzes.delivery.queries.secrecy import ShownMarks
from quizzes.items.presenters import texts
from quizzes.models import Quiz
from quizzes.passing import TOLERANCE


@dataclass(frozen=True)
class Score:
    """The score of an attempt, from the marks that may be shown.

    Attributes:
        passed: None if that depends on what is left out.
        left_out: how many questions are left out because they are still secret.
    """

    points: str
    out_of: str
    percent: str
    pass_mark: int | None
    passed: bool | None
    left_out: int = 0


def format_score(shown: ShownMarks, quiz: Quiz | None) -> Score:
    """Return the score as texts. Rounding alone never makes it reach the pass mark, or 100%."""
    share = 100 * shown.share + TOLERANCE
    pass_mark = quiz.pass_mark if quiz else None
    percent = round(share, 1)
    if percent in (pass_mark, 100):
        percent = math.floor(10 * share) / 10
    return Score(
        points=texts.format_points(shown.points),
        out_of=texts.format_points(shown.out_of),
        percent=texts.format_points(percent),
        pass_mark=pass_mark,
        passed=shown.passes(pass_mark) if pass_mark is not None else False,
        left_out=shown.left_out,
    )
