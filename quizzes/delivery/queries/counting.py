"""The attempt that counts at a sitting."""

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any

from quizzes.models import Attempt, Sitting


def attempt_that_counts(
    sitting: Sitting, attempts: Iterable[Attempt], now: datetime
) -> Attempt | None:
    """Of a student's attempts at the sitting the best, or the last, as its rules say.

    None before one has been marked, or while marks are not shown.
    """
    return counting(sitting, attempts) if sitting.shows_results(now) else None


def counting[Tried](sitting: Sitting, attempts: Iterable[Tried]) -> Tried | None:
    """Of a student's attempts at the sitting the one that counts, shown or not."""
    marked = [attempt for attempt in attempts if attempt.score is not None]
    if not marked:
        return None
    if sitting.counts == Sitting.Counts.LAST:
        return max(marked, key=lambda attempt: attempt.number)
    return max(marked, key=lambda attempt: (_share(attempt), attempt.number))


def trend(attempts: Sequence[Attempt], now: datetime) -> list[float]:
    """The share of the points that each marked attempt earned, in their order."""
    marked = [each for each in attempts if each.score is not None and each.shows_results(now)]
    return [_share(attempt) for attempt in sorted(marked, key=lambda attempt: attempt.number)]


def _share(attempt: Any) -> float:
    return attempt.score / attempt.out_of if attempt.out_of else 0.0
