"""Template contexts of events."""

from collections.abc import Mapping, Sequence
from typing import Any

from audit.models import Event
from classes.access.queries import members_by_key
from classes.history.words import describe_changes, describe_event
from classes.models import Course, Membership


def event_lines(course: Course, events: Sequence[Event]) -> list[dict[str, Any]]:
    """Return events of a class, each with what was done to whom, and what it changed."""
    of_members = {event.target_id for event in events if _is_of_member(event)}
    members = members_by_key(course, of_members)
    return [_line(event, members) for event in events]


def _is_of_member(event: Event) -> bool:
    """Return whether the event's target is a membership."""
    return event.verb.startswith("classes.member.")


def _line(event: Event, members: Mapping[str, Membership]) -> dict[str, Any]:
    member = members.get(event.target_id) if _is_of_member(event) else None
    deed = describe_event(event.verb, member.display_name if member else event.person_name)
    return {"event": event, "deed": deed, "facts": list(describe_changes(event))}
