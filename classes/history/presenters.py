"""The history of a class, line by line."""

from collections.abc import Mapping, Sequence
from typing import Any

from audit.models import Event
from classes.history.words import deed_told, facts_told
from classes.models import Membership


def history_lines(
    events: Sequence[Event], members: Mapping[str, Membership]
) -> list[dict[str, Any]]:
    """Return each event: who did what to whom, what it was before, and why."""
    return [
        _history_line(event, members.get(event.target_id) if is_of_member(event) else None)
        for event in events
    ]


def is_of_member(event: Event) -> bool:
    """Is its target somebody's place in the class?"""
    return event.verb.startswith("classes.member.")


def _history_line(event: Event, member: Membership | None) -> dict[str, Any]:
    return {
        "event": event,
        "deed": deed_told(event.verb, member.called if member else event.person_named),
        "facts": list(facts_told(event)),
    }
