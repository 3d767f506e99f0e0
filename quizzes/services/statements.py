"""The statements that are run most, in SQL: to put them together anew costs far more than to run
them. SQLite knows no row locks: there whoever writes is alone.
"""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from functools import cache
from itertools import chain

from django.db import connection

from quizzes.models import GRACE, Attempt, Grade, Item, Variant

# What a save writes.
DRAFT = ("draft", "revision", "token", "saved_at")

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
# The row itself says which submission counts: one that is reopened meanwhile gets no score.
_SCORE = """
UPDATE quizzes_attempt SET score = %s WHERE id = %s AND reopened + 1 = %s
"""
_SCORES = """
UPDATE quizzes_attempt SET score = marked.score
FROM unnest(%s::bigint[], %s::integer[], %s::float8[]) AS marked (id, number, score)
WHERE quizzes_attempt.id = marked.id AND quizzes_attempt.reopened + 1 = marked.number
"""
# What refers to the row waits no longer for it, whoever else holds it so; who locks it for update
# waits for all of them.
_HOLD_QUIZ = "SELECT id FROM quizzes_quiz WHERE id = %s FOR KEY SHARE"
_QUESTIONS = """
SELECT id, key, topic, prompt, explanation FROM quizzes_conceptquestion WHERE id IN ({places})
"""
_TOTAL = "UPDATE quizzes_attempt SET score = %s, out_of = %s WHERE id = %s"
_TOTALS = """
UPDATE quizzes_attempt SET score = ruled.score, out_of = ruled.out_of
FROM unnest(%s::bigint[], %s::float8[], %s::float8[]) AS ruled (id, score, out_of)
WHERE quizzes_attempt.id = ruled.id
"""
_APPEND = """
INSERT INTO quizzes_grade (answer_id, revision, points, out_of, verdict, mistake, steps,
  core_version, graded_at, ruling_id)
SELECT line.answer_id, was.revision + 1, line.points, line.out_of, line.verdict, line.mistake,
  line.steps, line.core_version, %s, line.ruling_id
FROM quizzes_rulingline line JOIN quizzes_grade was ON was.id = line.grade_before_id
WHERE {those} ORDER BY line.answer_id
"""
# What marks and what rules may not meet: one holds it shared, the other alone.
_MARKING = 7_301_954
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


def hold_quiz(pk: int) -> None:
    """Let nobody change the slots and pools of a quiz until the transaction ends; others may begin
    it meanwhile. What is read after this is what was written together.
    """
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute(_HOLD_QUIZ, [pk])


def hold_questions(pks: Sequence[int]) -> list[tuple]:
    """Questions as they are to be asked: pk, key, topic, prompt, explanation. Nobody changes what
    they say until the transaction ends, and those who want to see then that they were asked.
    """
    if not pks:
        return []
    lock = " FOR KEY SHARE" if connection.vendor == "postgresql" else ""
    with connection.cursor() as cursor:
        cursor.execute(_QUESTIONS.format(places=", ".join(["%s"] * len(pks))) + lock, list(pks))
        return cursor.fetchall()


def keep_totals(totals: Iterable[tuple[int, float, float]]) -> None:
    """Give attempts their scores, and what these are out of; the caller has locked them."""
    ruled = list(totals)
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            columns = [list(column) for column in zip(*ruled, strict=True)] or [[]] * 3
            cursor.execute(_TOTALS, columns)
        else:
            rows = [(score, out_of, attempt) for attempt, score, out_of in ruled]
            cursor.executemany(_TOTAL, rows)


def append_grades(lines: Iterable[int], now: datetime) -> None:
    """Append the grades that these lines of rulings tell, each after the one that it was made of.

    A line whose mark is not the latest any more raises IntegrityError.
    """
    keys = list(lines)
    moment = _kept(Grade, "graded_at", now)
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            cursor.execute(_APPEND.format(those="line.id = ANY(%s)"), [moment, keys])
        else:
            those = f"line.id IN ({','.join(['%s'] * len(keys))})"
            cursor.execute(_APPEND.format(those=those), [moment, *keys])


def join_in_marking() -> None:
    """Hold off, until this transaction ends, whoever wants marking to rest; wait while one does."""
    _take("pg_advisory_xact_lock_shared")


def let_marking_rest() -> None:
    """Have no marks written until this transaction ends; wait for those that are being."""
    _take("pg_advisory_xact_lock")


def _take(lock: str) -> None:
    if connection.vendor == "postgresql":  # elsewhere whoever writes is alone
        with connection.cursor() as cursor:
            cursor.execute(f"SELECT {lock}({_MARKING})")


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
    # SQLite takes an index of some rows only for the very words that it was made with; and rather
    # one of all rows, among which it would look through whatever was given so far.
    if vendor == "sqlite":
        unused = _UNUSED.format(by="INDEXED BY variant_unused", true="1")
    else:
        unused = _UNUSED.format(by="", true="TRUE")
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
