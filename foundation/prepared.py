"""Prepared queries: compiled once per connection, then only filled in.

Django takes several times as long to build and compile a query as a database to answer it. A query
that requests repeat with other values is a function of these values that returns a QuerySet:

    @prepared
    def exams_of(student):
        return Attempt.objects.graded().filter(student=student)

    exams_of(request.user)  # a list of the QuerySet's rows

The function is called once for each connection, with placeholders instead of values, so it must not
look at them. For a row its key is filled in. For a list it gets a list of placeholders, once for
each length. Comparing columns needs no function: `rows_where(Item, attempt=7)`.

Use it for pages that many people open at once, and only if it saves a twentieth of the page's time.
"""

import re
from collections.abc import Callable, Iterable
from datetime import datetime
from enum import Enum
from functools import cache, wraps
from itertools import count
from typing import Any
from uuid import UUID

from django.core.exceptions import EmptyResultSet
from django.db import DEFAULT_DB_ALIAS, connections
from django.db.models import Model, QuerySet, Value, prefetch_related_objects
from django.db.models.query import (
    FlatValuesListIterable,
    ModelIterable,
    ValuesListIterable,
    get_related_populators,
)

_PLAIN = re.compile(r"\w*")
_PARAMETER = re.compile(r"(?<!%)%s")
# No column holds an integer beyond these, and SQLite accepts none.
_BIGGEST = 2**63


def prepared[Row](build: Callable[..., QuerySet[Row]]) -> Callable[..., list[Row]]:
    """Decorate a function that builds a query so that it returns a list of the query's rows."""

    @wraps(build)
    def rows(*values: Any) -> list[Row]:
        connection = connections[DEFAULT_DB_ALIAS]
        plans = vars(connection).setdefault("prepared", {})
        key = (rows, *(len(each) if isinstance(each, list) else None for each in values))
        if (plan := plans.get(key)) is None:
            plan = plans[key] = _Plan(build(*_places(values)), connection)
        return plan.rows(_flat(values))

    return rows


def rows_where[Row: Model](model: type[Row], **values: Any) -> list[Row]:
    """Return the rows whose columns have these values, in the model's order."""
    return _by_columns(model, *values)(*values.values())


@cache
def _by_columns(model: type[Model], *names: str) -> Callable[..., list[Any]]:
    return prepared(
        lambda *places: model._default_manager.filter(**dict(zip(names, places, strict=True)))
    )


class _Place(Value):
    """A placeholder for one value, with its number."""

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
    flat = [one for each in values for one in (each if isinstance(each, list) else (each,))]
    return [getattr(one, "pk", one) for one in flat]


class _Plan:
    """A query as compiled for one connection, and so for one thread."""

    def __init__(self, queryset: QuerySet[Any], connection: Any) -> None:
        self.connection = connection
        self.lookups = queryset._prefetch_related_lookups
        compiler = queryset.query.get_compiler(connection=connection)
        try:
            self.sql, self.params = self._fixed(*compiler.as_sql())
        except EmptyResultSet:
            self.sql = ""  # nothing is in an empty list
            return
        columns = [column for column, *_rest in compiler.select][: compiler.col_count]
        # Later columns serve the ordering alone.
        self.columns = compiler.col_count if compiler.has_extra_select else None
        self.converters = compiler.get_converters(columns)
        self.converted = compiler.apply_converters
        self.shaped = _shape(queryset, compiler)

    def rows(self, values: list[Any]) -> list[Any]:
        if not self.sql or any(
            type(value) is int and not -_BIGGEST <= value < _BIGGEST for value in values
        ):
            return []
        filled = tuple(
            self._adapted(values[each.value]) if isinstance(each, _Place) else each
            for each in self.params
        )
        with self.connection.cursor() as cursor:
            cursor.execute(self.sql, filled)
            rows = cursor.fetchall()
        if self.columns:
            rows = [row[: self.columns] for row in rows]
        if self.converters:
            rows = self.converted(rows, self.converters)
        found = self.shaped(rows)
        if self.lookups:
            prefetch_related_objects(found, *self.lookups)
        return found

    def _fixed(self, sql: str, params: tuple[Any, ...]) -> tuple[str, list[Any]]:
        """Return the query with its constants written into it, and the parameters that are left.

        If SQLite has a partial index that might fit some values, it plans a query with parameters
        anew each time; that takes ten times as long as answering it.
        """
        if self.connection.vendor != "sqlite":
            return sql, list(params)
        written, *pieces = _PARAMETER.split(sql)
        left = []
        for value, piece in zip(params, pieces, strict=True):
            plain = _literal(value) if written.endswith(" = ") else None
            if plain is None:
                left.append(value)
            written += (plain or "%s") + piece
        return written, left

    def _adapted(self, value: Any) -> Any:
        """Return the value as the database takes it."""
        if isinstance(value, datetime):
            return self.connection.ops.adapt_datetimefield_value(value)
        if isinstance(value, UUID) and not self.connection.features.has_native_uuid_field:
            return value.hex
        return value


def _literal(value: Any) -> str | None:
    """Return a value as an SQL literal if it needs no escaping, else None."""
    plain = value.value if isinstance(value, Enum) else value
    if isinstance(plain, bool):
        return str(int(plain))
    return f"'{plain}'" if isinstance(plain, str) and _PLAIN.fullmatch(plain) else None


def _shape(queryset: QuerySet[Any], compiler: Any) -> Callable[[Iterable[Any]], list[Any]]:
    """Return a function that makes of rows what the QuerySet would: objects, tuples or values."""
    if queryset._iterable_class is FlatValuesListIterable:
        return lambda rows: [row[0] for row in rows]
    if queryset._iterable_class is ValuesListIterable:
        return lambda rows: [tuple(row) for row in rows]
    if queryset._iterable_class is not ModelIterable:
        raise TypeError(f"{queryset._iterable_class.__name__} cannot be prepared")
    info, mode = compiler.klass_info, queryset._fetch_mode
    first, last = info["select_fields"][0], info["select_fields"][-1] + 1
    names = [column.target.attname for column, *_rest in compiler.select[first:last]]
    related = get_related_populators(info, compiler.select, DEFAULT_DB_ALIAS, mode)
    annotated = list((compiler.annotation_col_map or {}).items())
    make = info["model"].from_db

    def objects(rows: Iterable[Any]) -> list[Any]:
        found = []
        for row in rows:
            one = make(DEFAULT_DB_ALIAS, names, row[first:last], fetch_mode=mode)
            for each in related:
                each.populate(row, one)
            for name, place in annotated:
                setattr(one, name, row[place])
            found.append(one)
        return found

    return objects
