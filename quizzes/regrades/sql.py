"""SQL that writes grades and totals of many attempts at once, and the lock on marking."""

from collections.abc import Iterable
from datetime import datetime

from django.db import connection

from quizzes.bulk import _db_value
from quizzes.models import Grade

_TOTAL = "UPDATE quizzes_attempt SET score = %s, out_of = %s WHERE id = %s"
_TOTALS = """
UPDATE quizzes_attempt SET score = regraded.score, out_of = regraded.out_of
FROM unnest(%s::bigint[], %s::float8[], %s::float8[]) AS regraded (id, score, out_of)
WHERE quizzes_attempt.id = regraded.id
"""
_APPEND = """
INSERT INTO quizzes_grade (answer_id, revision, points, out_of, verdict, mistake, steps,
  core_version, graded_at, ruling_id)
SELECT line.answer_id, was.revision + 1, line.points, line.out_of, line.verdict, line.mistake,
  line.steps, line.core_version, %s, line.ruling_id
FROM quizzes_rulingline line JOIN quizzes_grade was ON was.id = line.grade_before_id
WHERE {those} ORDER BY line.answer_id
"""
# Marking and regrading exclude each other: marking holds this lock shared, regrading alone.
_MARKING = 7_301_954


def write_totals(totals: Iterable[tuple[int, float, float]]) -> None:
    """Write the scores of attempts and what they are out of; the caller has locked them."""
    values = list(totals)
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            columns = [list(column) for column in zip(*values, strict=True)] or [[]] * 3
            cursor.execute(_TOTALS, columns)
        else:
            rows = [(score, out_of, attempt) for attempt, score, out_of in values]
            cursor.executemany(_TOTAL, rows)


def append_grades(lines: Iterable[int], now: datetime) -> None:
    """Append the grades of these regrade lines, each as the next revision of its old grade.

    Raises IntegrityError for a line whose mark is no longer the latest.
    """
    keys = list(lines)
    moment = _db_value(Grade, "graded_at", now)
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            cursor.execute(_APPEND.format(those="line.id = ANY(%s)"), [moment, keys])
        else:
            those = f"line.id IN ({','.join(['%s'] * len(keys))})"
            cursor.execute(_APPEND.format(those=those), [moment, *keys])


def share_marking_lock() -> None:
    """Share the lock on marking until this transaction ends; wait while a regrade has it."""
    _acquire("pg_advisory_xact_lock_shared")


def lock_marking() -> None:
    """Stop all marking until this transaction ends; wait for marks that are being written."""
    _acquire("pg_advisory_xact_lock")


def _acquire(lock: str) -> None:
    if connection.vendor == "postgresql":  # elsewhere there is only one writer
        with connection.cursor() as cursor:
            cursor.execute(f"SELECT {lock}({_MARKING})")
