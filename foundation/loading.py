"""Loading rows from files again and again: what becomes of a row that a file describes.

A loaded row remembers the fingerprint of what it said then. If it says something else by now,
somebody has edited it.
"""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any


class Outcome(StrEnum):
    """What loading does with what a file describes."""

    CREATED = "created"
    UPDATED = "updated"
    UNCHANGED = "unchanged"
    KEPT = "kept"  # edited since it was loaded, so left alone

    @property
    def writes(self) -> bool:
        """Is anything to be written?"""
        return self in (Outcome.CREATED, Outcome.UPDATED)


@dataclass(frozen=True)
class Loaded:
    """What a file describes, by its name there, and what became of it."""

    name: str
    outcome: Outcome


def fingerprint(said: str | Mapping[str, Any]) -> str:
    """Tells a text, or plain data, from any other."""
    text = said if isinstance(said, str) else json.dumps(said, sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()


def outcome_of[Said: (str, Mapping[str, Any])](
    *, wanted: Said, stored: Said | None, source_hash: str, overwrite: bool
) -> Outcome:
    """What is to become of a row that a file wants to say something.

    Args:
        wanted: what the file says, in full.
        stored: what the row says, as a file would say it; None where there is no row yet.
        source_hash: the fingerprint of what the row said when it was loaded.
        overwrite: whether edits are lost.
    """
    if stored is None:
        return Outcome.CREATED
    said = fingerprint(stored)
    if said == fingerprint(wanted):
        return Outcome.UNCHANGED
    if said != source_hash and not overwrite:
        return Outcome.KEPT
    return Outcome.UPDATED
