"""Handwritten SQL for the hottest writes: saving, submitting, and giving out variants."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from functools import cache
from itertools import chain

from django.db import connection

from quizzes.bulk import _db_value, _for_update
from quizzes.models import GRACE, Attempt, Item, Variant

# The fields that a save writes.
DRAFT_FIELDS = ("draft", "revision", "token", "saved_at")

_SAVE = """
UPDATE quizzes_item SET draft = %s, revision = %s, token = %s, saved_at = %s
WHERE id = %s AND revision = %s AND attempt_id IN (
  SELECT id FROM quizzes_attempt
  WHERE id = %s AND state = %s AND (deadline IS NULL OR deadline >= %s)
"""

_UNUSED = """
SELECT id FROM quizzes_variant {by}
WHERE kind = %s AND for_exams = {true} AND given_at IS NULL AND fingerprint IS NOT NULL
  AND struck_at IS NULL
ORDER BY id LIMIT %s
"""
_SUBMIT = """
UPDATE quizzes_attempt SET state = %s, submitted_at = %s, closed_by_clock = %s WHERE id = %s
"""
# Rows that refer to the quiz can still be inserted, and many starts share this lock; FOR UPDATE
# waits for all of them.
_LOCK_QUIZ = "SELECT id FROM quizzes_quiz WHERE id = %s FOR KEY SHARE"
_QUESTIONS = """
SELECT id, key, topic, prompt, explanation FROM quizzes_conceptquestion WHERE id IN ({places})
"""
_CLAIM = "UPDATE quizzes_variant SET given_at = %s WHERE id IN (SELECT id FROM picked) RETURNING "
# The columns from which an item is worded.
_OF_VARIANT = ("id", "kind", "family", "version", "options", "seed", "words", "givens", "tolerance")


def write_draft(item: Item, *, based_on: int, now: datetime) -> bool:
    """Write an item's draft and return True, if its revision is unchanged and its attempt open.

    Like submitting, it locks the attempt: a draft that was written is in the answer.
    """
    columns = [(name, getattr(item, name)) for name in DRAFT_FIELDS]
    open_until = ("deadline", now - GRACE)
    with connection.cursor() as cursor:
        cursor.execute(
            f"{_SAVE} {_for_update()})",
            [
                *(_db_value(Item, name, value) for name, value in columns),
                item.pk,
                based_on,
                item.attempt_id,
                Attempt.State.OPEN.value,
                _db_value(Attempt, *open_until),
            ],
        )
        return cursor.rowcount == 1


def write_submitted(attempt: Attempt) -> None:
    """Write that an attempt is submitted; the caller has locked it."""
    columns = ("state", "submitted_at", "closed_by_clock", "id")
    with connection.cursor() as cursor:
        cursor.execute(
            _SUBMIT, [_db_value(Attempt, name, getattr(attempt, name)) for name in columns]
        )


def lock_quiz(pk: int) -> None:
    """Lock the slots and pools of a quiz against changes; other attempts can still start.

    The lock lasts until the transaction ends; everything read after it was written together.
    """
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute(_LOCK_QUIZ, [pk])


def lock_questions(pks: Sequence[int]) -> list[tuple]:
    """Lock questions and return pk, key, topic, prompt and explanation of each.

    Until the transaction ends nobody can change their texts; an editor who waits for it then sees
    that they were asked.
    """
    if not pks:
        return []
    lock = " FOR KEY SHARE" if connection.vendor == "postgresql" else ""
    with connection.cursor() as cursor:
        cursor.execute(_QUESTIONS.format(places=", ".join(["%s"] * len(pks))) + lock, list(pks))
        return cursor.fetchall()


def claim_unused(wanted: Mapping[str, int], now: datetime) -> list[Variant]:
    """Give out as many unused variants of each kind as are wanted, or as there are.

    Variants that another start is taking at the same time are skipped.
    """
    with connection.cursor() as cursor:
        cursor.execute(
            _claim_sql(len(wanted), connection.vendor),
            [*chain.from_iterable(wanted.items()), _db_value(Variant, "given_at", now)],
        )
        rows = cursor.fetchall()
    return [Variant.from_db(connection.alias, _OF_VARIANT, _read(row)) for row in rows]


@cache
def _claim_sql(kinds: int, vendor: str) -> str:
    # Materialised, so that it runs once and not again for each row.
    # SQLite uses a partial index only if the condition has the index's very words, and even then
    # prefers a full index, in which it would search all that was given so far.
    if vendor == "sqlite":
        unused = _UNUSED.format(by="INDEXED BY variant_unused", true="1")
    else:
        unused = _UNUSED.format(by="", true="TRUE")
    each = f"SELECT id FROM ({unused} {_for_update(skip_locked=True)}) AS of_kind"
    picked = " UNION ALL ".join([each] * kinds)
    return f"WITH picked AS MATERIALIZED ({picked}) {_CLAIM} {', '.join(_OF_VARIANT)}"


def _read(row: Iterable) -> list:
    fields = [Variant._meta.get_field(name) for name in _OF_VARIANT]
    return [
        field.from_db_value(value, None, connection) if hasattr(field, "from_db_value") else value
        for field, value in zip(fields, row, strict=True)
    ]
