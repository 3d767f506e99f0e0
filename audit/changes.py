"""Differences between old and new values."""

from collections.abc import Mapping
from typing import Any

from django.db.models import Model

_MISSING = object()


def changed_values(
    before: Mapping[str, Any], after: Mapping[str, Any]
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return both mappings without the values they share; both are empty if nothing changed.

    >>> changed_values({"minutes": 23, "attempts": 2}, {"minutes": 30, "attempts": 2, "late": True})
    ({'minutes': 23}, {'minutes': 30, 'late': True})
    """
    return _without(before, after), _without(after, before)


def _without(these: Mapping[str, Any], others: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in these.items() if others.get(name, _MISSING) != value}


def field_values(row: Model, *names: str) -> dict[str, Any]:
    """Return the values of these fields of a row by name; for a related row, its primary key."""
    return {name: getattr(row, row._meta.get_field(name).attname) for name in names}
