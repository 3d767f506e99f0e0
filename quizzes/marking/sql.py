"""SQL that writes the scores of many attempts at once."""

from collections.abc import Iterable

from django.db import connection

from quizzes.models import FINAL_NUMBER

# The condition compares the attempt's own row: one that is reopened meanwhile gets no score.
_SCORE = f"""
UPDATE quizzes_attempt SET score = %s WHERE id = %s AND {FINAL_NUMBER} = %s
"""
_SCORES = f"""
UPDATE quizzes_attempt SET score = marked.score
FROM unnest(%s::bigint[], %s::integer[], %s::float8[]) AS marked (id, number, score)
WHERE quizzes_attempt.id = marked.id AND {FINAL_NUMBER} = marked.number
"""


def write_scores(scores: Iterable[tuple[int, int, float]]) -> None:
    """Write scores of attempts, given by attempt, number of the submission, and score.

    A submission whose attempt has been reopened since writes none.
    """
    marked = list(scores)
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            cursor.execute(
                _SCORES, [list(column) for column in zip(*marked, strict=True)] or [[]] * 3
            )
        else:
            rows = [(score, attempt, number) for attempt, number, score in marked]
            cursor.executemany(_SCORE, rows)
