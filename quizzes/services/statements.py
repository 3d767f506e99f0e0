"""The statements that are run most, in SQL: to put them together anew costs far more than to run
them. SQLite knows no row locks: there whoever writes is alone.
"""

from collections.abc import Iterable, Mapping
from datetime import datetime
from functools import cache
from itertools import chain

from django.db import connection

from quizzes.models import GRACE, Attempt, Item, Variant

# What a save writes.
DRAFT = ("draft", "revision", "token", "saved_at")

_SAVE = """
UPDATE quizzes_item SET draft = %s, revision = %s, token = %s, saved_at = %s
WHERE id = %s AND revision = %s AND attempt_id IN (
  SELECT id FROM quizzes_attempt
  WHERE id = %s AND state = %s AND (deadline IS NULL OR deadline >= %s)
"""

_UNUSED = """
SELECT id FROM quizzes_variant
WHERE kind = %s AND for_exams = {true} AND given_at IS NULL AND fingerprint IS NOT NULL
ORDER BY id LIMIT %s
"""
_SUBMIT = """
UPDATE quizzes_attempt SET state = %s, submitted_at = %s, closed_by_clock = %s WHERE id = %s
"""
# The row itself says which submission counts: one that is reopened meanwhile gets no score.
_SCORE = """
UPDATE quizzes_attempt SET score = %s WHERE id = %s AND reopened + 1 = %s
"""
_SCORES = """
UPDATE quizzes_attempt SET score = marked.score
FROM unnest(%s::bigint[], %s::integer[], %s::float8[]) AS marked (id, number, score)
WHERE quizzes_attempt.id = marked.id AND quizzes_attempt.reopened + 1 = marked.number
"""
_GIVE = "UPDATE quizzes_variant SET given_at = %s WHERE id IN (SELECT id FROM picked) RETURNING "
# All that an item has to be worded by.
_OF_VARIANT = ("id", "kind", "family", "version", "options", "seed", "words", "givens", "tolerance")


def keep_draft(item: Item, *, based_on: int, now: datetime) -> bool:
    """Write an item's draft where the stored one still has this revision, and its attempt is open;
    was it written?

    The attempt is locked, as whoever submits it does: a draft that was written is in the answer.
    """
    columns = [(name, getattr(item, name)) for name in DRAFT]
    open_until = ("deadline", now - GRACE)
    with connection.cursor() as cursor:
        cursor.execute(
            f"{_SAVE} {_for_update()})",
            [
                *(_kept(Item, name, value) for name, value in columns),
                item.pk,
                based_on,
                item.attempt_id,
                Attempt.State.OPEN.value,
                _kept(Attempt, *open_until),
            ],
        )
        return cursor.rowcount == 1


def keep_submitted(attempt: Attempt) -> None:
    """Write that an attempt is over; the caller has locked it."""
    columns = ("state", "submitted_at", "closed_by_clock", "id")
    with connection.cursor() as cursor:
        cursor.execute(_SUBMIT, [_kept(Attempt, name, getattr(attempt, name)) for name in columns])


def keep_scores(scores: Iterable[tuple[int, int, float]]) -> None:
    """Give attempts their scores: each by its key, the number of its submission, and the score.

    A submission whose attempt has been reopened since gives none.
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


def give_unused(wanted: Mapping[str, int], now: datetime) -> list[Variant]:
    """Of each kind so many variants that nobody was ever given, if there are; now they are given.

    Those that another start is taking just now are passed over.
    """
    with connection.cursor() as cursor:
        cursor.execute(
            _giving(len(wanted), connection.vendor),
            [*chain.from_iterable(wanted.items()), _kept(Variant, "given_at", now)],
        )
        rows = cursor.fetchall()
    return [Variant.from_db(connection.alias, _OF_VARIANT, _read(row)) for row in rows]


@cache
def _giving(kinds: int, vendor: str) -> str:
    # Materialised: it must be looked for once, and not again for each row.
    # SQLite takes an index of some rows only for the very words that it was made with.
    unused = _UNUSED.format(true="1" if vendor == "sqlite" else "TRUE")
    each = f"SELECT id FROM ({unused} {_for_update(skip_locked=True)}) AS of_kind"
    picked = " UNION ALL ".join([each] * kinds)
    return f"WITH picked AS MATERIALIZED ({picked}) {_GIVE} {', '.join(_OF_VARIANT)}"


def _for_update(*, skip_locked: bool = False) -> str:
    if not connection.features.has_select_for_update:
        return ""
    return connection.ops.for_update_sql(skip_locked=skip_locked)


def _kept(model, name: str, value):
    """A value as the database keeps it."""
    return model._meta.get_field(name).get_db_prep_save(value, connection)


def _read(row: Iterable) -> list:
    fields = [Variant._meta.get_field(name) for name in _OF_VARIANT]
    return [
        field.from_db_value(value, None, connection) if hasattr(field, "from_db_value") else value
        for field, value in zip(fields, row, strict=True)
    ]
