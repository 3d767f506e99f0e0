"""Fast inserts and updates of many rows, which cost too much through the ORM.

Also the insert of a single row that many users write at the same moment.
"""

from collections.abc import Iterable, Sequence
from functools import cache
from typing import Any

from django.db import connection
from django.db.models import Field, JSONField, Model, UUIDField

from quizzes.models.plain_json import PlainJSONField

# Fields whose values databases store in forms of their own.
CONVERTED_FIELDS = (PlainJSONField, JSONField, UUIDField)


def insert_row(row: Model) -> None:
    """Insert a new row with a cached statement, without sending signals."""
    fields = _insert_fields(type(row))
    values = [field.get_db_prep_save(field.pre_save(row, True), connection) for field in fields]
    with connection.cursor() as cursor:
        cursor.execute(_insert_sql(type(row)), values)
        (row.pk,) = cursor.fetchone()
    row._state.adding, row._state.db = False, connection.alias


def _insert_fields(model: type[Model]) -> list[Field]:
    return [field for field in model._meta.concrete_fields if not field.primary_key]


@cache
def _insert_sql(model: type[Model]) -> str:
    quote = connection.ops.quote_name
    columns = [quote(field.column) for field in _insert_fields(model)]
    values = ", ".join(["%s"] * len(columns))
    return (
        f"INSERT INTO {quote(model._meta.db_table)} ({', '.join(columns)}) VALUES ({values})"
        f" RETURNING {quote(model._meta.pk.column)}"
    )


def insert_rows(model: type[Model], columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> None:
    """Insert rows, their values in the order of the columns; constraints apply as usual.

    A value that many rows share is prepared once. PostgreSQL takes the rows as a stream (COPY);
    elsewhere the statement is prepared once and run many times.
    """
    fields = [model._meta.get_field(name) for name in columns]
    quote = connection.ops.quote_name
    table = quote(model._meta.db_table)
    names = ", ".join(quote(field.column) for field in fields)
    prepared = _prepared(rows, fields)
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            copying = cursor.copy(f"COPY {table} ({names}) FROM STDIN")
            # Django translates psycopg's errors only in calls that it makes itself.
            with connection.wrap_database_errors, copying as copy:
                for row in prepared:
                    copy.write_row(row)
        else:
            values = ", ".join(["%s"] * len(fields))
            cursor.executemany(f"INSERT INTO {table} ({names}) VALUES ({values})", prepared)


def insert_missing(
    model: type[Model], columns: Sequence[str], rows: Sequence[Sequence[Any]]
) -> None:
    """Insert a few rows, skipping those that conflict with a unique constraint."""
    if not rows:
        return
    fields = [model._meta.get_field(name) for name in columns]
    quote = connection.ops.quote_name
    names = ", ".join(quote(field.column) for field in fields)
    each = f"({', '.join(['%s'] * len(fields))})"
    with connection.cursor() as cursor:
        cursor.execute(
            f"INSERT INTO {quote(model._meta.db_table)} ({names})"
            f" VALUES {', '.join([each] * len(rows))} ON CONFLICT DO NOTHING",
            [value for row in _prepared(rows, fields) for value in row],
        )


def update_column(model: type[Model], column: str, values: Iterable[tuple[Any, Any]]) -> None:
    """Set one column of each row, by its primary key. `bulk_update` would cost 2.8 ms a row."""
    pairs = list(values)
    quote = connection.ops.quote_name
    field, key = model._meta.get_field(column), model._meta.pk
    table, name, pk = quote(model._meta.db_table), quote(field.column), quote(key.column)
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            keys, new = key.rel_db_type(connection), field.rel_db_type(connection)
            cursor.execute(
                f"UPDATE {table} SET {name} = new.value "
                f"FROM unnest(%s::{keys}[], %s::{new}[]) AS new (pk, value) "
                f"WHERE {table}.{pk} = new.pk",
                [[pk for pk, _ in pairs], [value for _, value in pairs]],
            )
        else:
            cursor.executemany(
                f"UPDATE {table} SET {name} = %s WHERE {pk} = %s",
                [(value, pk) for pk, value in pairs],
            )


def _prepared(rows: Sequence[Sequence[Any]], fields: Sequence[Field]) -> list[Sequence[Any]]:
    prepared = [list(row) for row in rows]
    for place, field in enumerate(fields):
        if isinstance(getattr(field, "target_field", field), CONVERTED_FIELDS):
            # By identity, which is safe: the rows keep the values alive, so no id is reused.
            kept = {id(row[place]): row[place] for row in rows}
            kept = {key: field.get_db_prep_save(value, connection) for key, value in kept.items()}
            for row in prepared:
                row[place] = kept[id(row[place])]
    return prepared


def _for_update(*, skip_locked: bool = False) -> str:
    if not connection.features.has_select_for_update:
        return ""
    return connection.ops.for_update_sql(skip_locked=skip_locked)


def _db_value(model, name: str, value):
    """Return a value as the database stores it."""
    return model._meta.get_field(name).get_db_prep_save(value, connection)
