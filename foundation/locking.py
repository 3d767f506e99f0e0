"""Taking rows out of a queue that others take from too.

SQLite knows no row locks; there the transaction alone (IMMEDIATE) keeps others out.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from django.db import connection, transaction
from django.db.models import Model, Q, QuerySet
from django.utils import timezone


def lock_free[Row: Model](rows: QuerySet[Row], *, no_key: bool = False) -> QuerySet[Row]:
    """Return those rows that nobody else is taking just now, locked as they are read.

    They are ours until the transaction ends, within which the caller writes that it has them. With
    `no_key` others may still write rows that refer to them.
    """
    skip_locked = connection.features.has_select_for_update_skip_locked
    return rows.select_for_update(skip_locked=skip_locked, no_key=no_key)


def lock_first[Row: Model](rows: QuerySet[Row], *, most: int) -> tuple[Any, ...]:
    """Return the primary keys of the first so many free rows, locked."""
    return tuple(lock_free(rows).values_list("pk", flat=True)[:most])


def unclaimed() -> Q:
    """Return the condition that nobody has claimed a row, or that the claim has run out."""
    return Q(claimed_until=None) | Q(claimed_until__lt=timezone.now())


@contextmanager
def claim_first[Row: Model](rows: QuerySet[Row], *, most: int) -> Iterator[tuple[Any, ...]]:
    """Lock the first so many free rows while the caller writes whose they are; give their keys."""
    if not rows.exists():  # an idle sweep does not take SQLite's write lock
        yield ()
        return
    with transaction.atomic():
        yield lock_first(rows, most=most)
