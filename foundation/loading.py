"""Repeated loading of rows from files, and the outcome for each row.

A loaded row keeps the fingerprint of its content at that time. If its content has another
fingerprint now, somebody has edited it.
"""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any


class LoadOutcome(StrEnum):
    """The outcome of loading one row."""

    CREATED = "created"
    UPDATED = "updated"
    UNCHANGED = "unchanged"
    KEPT = "kept"  # edited since it was loaded, so left alone
    WITHDRAWN = "withdrawn"  # no longer shipped, so not offered any more

    @property
    def writes(self) -> bool:
        """Whether anything is written."""
        return self in (LoadOutcome.CREATED, LoadOutcome.UPDATED)


@dataclass(frozen=True)
class Loaded:
    """A row that a file describes, by its name there, with its outcome."""

    name: str
    outcome: LoadOutcome


def fingerprint(value: str | Mapping[str, Any]) -> str:
    """Return the hash of a text or of plain data."""
    text = value if isinstance(value, str) else json.dumps(value, sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()


def outcome_of[Said: (str, Mapping[str, Any])](
    *, wanted: Said, stored: Said | None, source_hash: str, overwrite: bool
) -> LoadOutcome:
    """Return the outcome for a row that a file describes.

    Args:
        wanted: the file's content, in full.
        stored: the row's content, as a file would have it; None if there is no row yet.
        source_hash: the fingerprint of the row's content when it was loaded.
        overwrite: whether edits are overwritten.
    """
    if stored is None:
        return LoadOutcome.CREATED
    now = fingerprint(stored)
    if now == fingerprint(wanted):
        return LoadOutcome.UNCHANGED
    if now != source_hash and not overwrite:
        return LoadOutcome.KEPT
    return LoadOutcome.UPDATED
