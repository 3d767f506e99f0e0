"""Queries that are put together once, and then only filled in.

Django takes several times as long to build and compile a query as a database to answer it. What
requests ask again and again in the same words is a function of its values that returns a QuerySet:

    @prepared
    def attempts_with(student, pk):
        return Attempt.objects.filter(student=student, pk=pk)

    attempts_with(request.user.pk, 7)  # a list of what the QuerySet would have held

It is called once for each connection, with places to be filled in instead of values, so it must not
look at them. Values are plain: the key of a row, not the row. Instead of a list it gets a list of
places, once for each length.
"""

from collections.abc import Callable
from copy import copy
from datetime import datetime
from functools import wraps
from itertools import count
from types import SimpleNamespace
from typing import Any
from uuid import UUID

from django.core.exceptions import EmptyResultSet
from django.db import DEFAULT_DB_ALIAS, connections
from django.db.models import QuerySet, Value, prefetch_related_objects

# No column holds a whole number beyond these, and SQLite takes none.
_BIGGEST = 2**63


def prepared[Row](build: Callable[..., QuerySet[Row]]) -> Callable[..., list[Row]]:
    """Let this function give the rows of the query that it builds."""

    @wraps(build)
    def rows(*values: Any) -> list[Row]:
        connection = connections[DEFAULT_DB_ALIAS]
        plans = vars(connection).setdefault("prepared", {})
        key = (rows, *(len(each) if isinstance(each, list) else None for each in values))
        if (plan := plans.get(key)) is None:
            plan = plans[key] = _Plan(build(*_places(values)), connection)
        return plan.rows(_flat(values))

    return rows


class _Place(Value):
    """Where the so-manieth value goes."""

    def as_sql(self, compiler: Any, connection: Any) -> tuple[str, list[Any]]:
        return "%s", [self]

    def _resolve_output_field(self) -> None:
        return None


def _places(values: tuple[Any, ...]) -> list[Any]:
    numbers = count()
    return [
        [_Place(next(numbers)) for _one in each]
        if isinstance(each, list)
        else _Place(next(numbers))
        for each in values
    ]


def _flat(values: tuple[Any, ...]) -> list[Any]:
    return [one for each in values for one in (each if isinstance(each, list) else (each,))]


class _Plan:
    """A query as one connection, and so one thread, compiles it."""

    def __init__(self, queryset: QuerySet[Any], connection: Any) -> None:
        self.connection = connection
        self.queryset = queryset
        self.lookups = queryset._prefetch_related_lookups
        self.compiler = queryset.query.get_compiler(connection=connection)
        try:
            self.sql, self.params = self.compiler.as_sql()
        except EmptyResultSet:
            self.sql = ""  # an empty list has nothing among it
            return
        columns = [column for column, *_rest in self.compiler.select]
        converters = self.compiler.get_converters(columns[: self.compiler.col_count])
        self.compiler.get_converters = lambda _columns: converters

    def rows(self, values: list[Any]) -> list[Any]:
        if not self.sql or any(
            type(value) is int and not -_BIGGEST <= value < _BIGGEST for value in values
        ):
            return []
        filled = tuple(
            self._adapted(values[each.value]) if isinstance(each, _Place) else each
            for each in self.params
        )
        compiler = copy(self.compiler)
        compiler.as_sql = lambda: (self.sql, filled)
        query = copy(self.queryset.query)
        query.get_compiler = lambda using: compiler
        asked = SimpleNamespace(
            db=DEFAULT_DB_ALIAS,
            model=self.queryset.model,
            query=query,
            _fetch_mode=self.queryset._fetch_mode,
            _fields=self.queryset._fields,
            _known_related_objects={},
        )
        found = list(self.queryset._iterable_class(asked))
        if self.lookups:
            prefetch_related_objects(found, *self.lookups)
        return found

    def _adapted(self, value: Any) -> Any:
        """The value as the database takes it."""
        if isinstance(value, datetime):
            return self.connection.ops.adapt_datetimefield_value(value)
        if isinstance(value, UUID) and not self.connection.features.has_native_uuid_field:
            return value.hex
        return value
