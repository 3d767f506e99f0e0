"""The history of a class, line by line."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from audit.models import Event
from classes.history.words import deed_told, facts_told
from classes.models import Membership


@dataclass(frozen=True)
class HistoryLine:
    """One event: who did what to whom, what it was before, and why."""

    event: Event
    who: str
    deed: str
    facts: tuple[str, ...]


def history_lines(events: Sequence[Event], members: Mapping[str, Membership]) -> list[HistoryLine]:
    return [
        _history_line(event, members.get(event.target_id) if is_of_member(event) else None)
        for event in events
    ]


def is_of_member(event: Event) -> bool:
    """Is its target somebody's place in the class?"""
    return event.verb.startswith("classes.member.")


def _history_line(event: Event, member: Membership | None) -> HistoryLine:
    return HistoryLine(
        event=event,
        who=event.actor_named,
        deed=deed_told(event.verb, member.called if member else event.person_named),
        facts=tuple(facts_told(event)),
    )
