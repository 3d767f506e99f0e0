"""Fingerprints of what a page has shown, so that a confirmation covers exactly that."""

import hashlib
import json
from dataclasses import fields, is_dataclass
from datetime import date, datetime
from decimal import Decimal
from typing import Any

from django.db.models import Model


def fingerprint(*shown: object) -> str:
    """Return a short text that is equal if, and only if, all of these values are.

    It takes rows, dataclasses and plain values, nested in any way. A form sends it along, and a
    service compares it, under its lock, with what it would do.

    Raises:
        TypeError: something has no values that could be compared.
    """
    text = json.dumps(shown, default=_values_of, sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:32]


def _values_of(shown: object) -> Any:
    if isinstance(shown, Model):
        return {field.attname: getattr(shown, field.attname) for field in shown._meta.fields}
    if is_dataclass(shown):
        return {field.name: getattr(shown, field.name) for field in fields(shown)}
    if isinstance(shown, date | datetime | Decimal):
        return str(shown)
    raise TypeError(f"{type(shown).__name__} has no values to compare")
