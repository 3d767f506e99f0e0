"""Row locks for queues that several processes take rows from.

SQLite has no row locks; there the IMMEDIATE transaction alone keeps others out.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from django.db import connection, transaction
from django.db.models import Model, Q, QuerySet
from django.utils import timezone


def lock_free[Row: Model](rows: QuerySet[Row], *, no_key: bool = False) -> QuerySet[Row]:
    """Return the rows that nobody else has locked; they are locked as they are read.

    The lock lasts until the transaction ends, within which the caller records its claim. With
    `no_key` others can still write rows that refer to them.
    """
    skip_locked = connection.features.has_select_for_update_skip_locked
    return rows.select_for_update(skip_locked=skip_locked, no_key=no_key)


def lock_first[Row: Model](rows: QuerySet[Row], *, most: int) -> tuple[Any, ...]:
    """Lock the first `most` free rows. Return their primary keys."""
    return tuple(lock_free(rows).values_list("pk", flat=True)[:most])


def unclaimed() -> Q:
    """Return the condition that a row has no claim, or one that has expired."""
    return Q(claimed_until=None) | Q(claimed_until__lt=timezone.now())


@contextmanager
def claim_first[Row: Model](rows: QuerySet[Row], *, most: int) -> Iterator[tuple[Any, ...]]:
    """Lock the first `most` free rows while the caller records its claim. Yield their keys."""
    if not rows.exists():  # an idle sweep does not take SQLite's write lock
        yield ()
        return
    with transaction.atomic():
        yield lock_first(rows, most=most)
