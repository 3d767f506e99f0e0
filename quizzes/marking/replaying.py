"""Checking scores against all appended grades, which are read in one stream."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import groupby
from operator import itemgetter
from typing import NamedTuple

from django.db.models import Case, QuerySet, TextField, Value, When
from django.db.models.functions import Floor

from quizzes.models import Attempt, Grade, Submission
from quizzes.models.plain_json import cast_to_text, parse_texts
from quizzes.models.steps import step_of

CHUNK = 20_000  # rows at a time


@dataclass(frozen=True)
class ScoreCheck:
    """A marked attempt, and why its score is not the sum of its grades; "" if it is."""

    attempt: int
    why: str = ""


class _Row(NamedTuple):
    attempt: int
    answer: int
    revision: int
    points: float
    out_of: float
    steps: str | None
    regrade: int | None


def check_scores() -> Iterator[ScoreCheck]:
    """Yield the proof of every graded attempt that is marked, or has a score."""
    scores = {pk: (score, out_of) for pk, score, out_of in _scores()}
    for attempt, rows in groupby(map(_Row._make, _grades()), key=itemgetter(0)):
        if attempt in scores:
            yield ScoreCheck(attempt, _difference(rows, *scores.pop(attempt)))
        else:
            yield ScoreCheck(attempt, "it has grades that count, and no score")
    for attempt in scores:
        yield ScoreCheck(attempt, "it has a score, and no grades that count")


def _scores() -> QuerySet:
    graded = Attempt.objects.graded().filter(score__isnull=False)
    # An attempt without questions has nothing to mark.
    asked = graded.filter(items__isnull=False).distinct()
    return asked.order_by().values_list("pk", "score", "out_of").iterator(CHUNK)


def _grades() -> Iterator:
    """Return all grades of the final submissions, answer by answer.

    Whole points are exact; the steps of other points come along.
    """
    steps = Case(
        When(points=Floor("points"), then=Value(None, output_field=TextField())),
        default=cast_to_text("steps"),
    )
    attempt = "answer__submission__attempt"
    counting = Grade.objects.graded().counting()
    marked = counting.filter(answer__submission__state=Submission.State.GRADED)
    rows = marked.order_by(attempt, "answer", "revision").annotate(parts=steps)
    columns = ("answer", "revision", "points", "out_of", "parts", "ruling")
    return rows.values_list(attempt, *columns).iterator(CHUNK)


def _difference(rows: Iterable[_Row], score: float, out_of: float) -> str:
    latest: dict[int, _Row] = {}
    for row in rows:
        before = latest[row.answer].revision if row.answer in latest else 0
        if row.revision != before + 1:
            return f"grade {row.revision} of answer {row.answer} comes after grade {before}"
        if before and row.regrade is None:
            return f"no regrade appended grade {row.revision} of answer {row.answer}"
        latest[row.answer] = row
    whole, below, parts = 0.0, 0.0, Fraction()
    for row in latest.values():
        below += row.out_of
        if row.steps is None:
            whole += row.points
            continue
        exact = _exact(row.steps)
        if float(exact) != row.points:
            return f"the steps of answer {row.answer} come to {float(exact)}, not {row.points}"
        parts += exact
    points = float(int(whole) + parts)
    if (points, below) != (score, out_of):
        return f"its grades come to {points} of {below}, its score is {score} of {out_of}"
    return ""


@lru_cache(maxsize=100_000)
def _exact(steps: str) -> Fraction:
    (read,) = parse_texts([steps])
    return sum((Fraction(step_of(step)["points"]) for step in read), Fraction())
