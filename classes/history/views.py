"""View: the history of a class."""

from collections.abc import Mapping
from typing import Any

from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from audit.models import Event
from audit.queries import events, page
from classes.access.forms import chosen_keys
from classes.access.queries import Seat, actors_in, event_of, member_seen, named_members
from classes.access.views import seated
from classes.history.forms import HistoryFilter
from classes.history.words import DEEDS, deed_told, facts_told
from classes.models import Membership


@seated("GET")
def history(request: HttpRequest, seat: Seat) -> HttpResponse:
    """List the events of the class, or of a chosen member, newest first."""
    if not seat.sees_all:
        raise PermissionDenied  # it covers people of other sections
    deeds = {verb: deed_told(verb) for verb in DEEDS}
    wanted = HistoryFilter(request.GET, actors_in(seat.course), deeds)
    member = member_seen(seat, chosen_keys(request.GET))
    found = events(scope=seat.course.scope, target=member, **wanted.wanted)
    after = event_of(seat.course, chosen_keys(request.GET, "after"))
    listed, has_more = page(found, after=after)
    of_members = {event.target_id for event in listed if _is_of_member(event)}
    members = named_members(seat.course, of_members)
    context = {
        "seat": seat,
        "filter": wanted,
        "member": member,
        "lines": [_line(event, members) for event in listed],
        "last": listed[-1] if has_more else None,
        "after": after,
    }
    return render(request, "classes/history/history.html", context)


def _is_of_member(event: Event) -> bool:
    """Return whether the event's target is a membership."""
    return event.verb.startswith("classes.member.")


def _line(event: Event, members: Mapping[str, Membership]) -> dict[str, Any]:
    """Return an event with its words, for the template."""
    member = members.get(event.target_id) if _is_of_member(event) else None
    deed = deed_told(event.verb, member.called if member else event.person_named)
    return {"event": event, "deed": deed, "facts": list(facts_told(event))}
