"""Taking rows out of a queue that others take from too."""

from typing import Any

from django.db import connection
from django.db.models import Model, QuerySet


def lock_first[Row: Model](rows: QuerySet[Row], *, most: int) -> tuple[Any, ...]:
    """The primary keys of the first so many rows that nobody else is taking just now.

    They are ours until the transaction ends, within which the caller writes that it has them.
    SQLite knows no row locks; there the transaction alone (IMMEDIATE) keeps others out.
    """
    skip_locked = connection.features.has_select_for_update_skip_locked
    locked = rows.select_for_update(skip_locked=skip_locked)
    return tuple(locked.values_list("pk", flat=True)[:most])
