"""View: the history of a class."""

from collections.abc import Mapping
from typing import Any

from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from audit.models import Event
from audit.queries import event_page, events
from classes.access.forms import ticked_keys
from classes.access.queries import CourseAccess, actors_in, event_of, members_by_key, visible_member
from classes.access.views import access_required
from classes.history.forms import HistoryFilter
from classes.history.words import VERB_WORDS, describe_changes, describe_event
from classes.models import Membership


@access_required("GET")
def history(request: HttpRequest, access: CourseAccess) -> HttpResponse:
    """List the events of the class, or of a chosen member, newest first."""
    if not access.sees_all:
        raise PermissionDenied  # it covers people of other sections
    deeds = {verb: describe_event(verb) for verb in VERB_WORDS}
    wanted = HistoryFilter(request.GET, actors_in(access.course), deeds)
    member = visible_member(access, ticked_keys(request.GET))
    found = events(scope=access.course.scope, target=member, **wanted.wanted)
    after = event_of(access.course, ticked_keys(request.GET, "after"))
    listed, has_more = event_page(found, after=after)
    of_members = {event.target_id for event in listed if _is_of_member(event)}
    members = members_by_key(access.course, of_members)
    context = {
        "access": access,
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
    deed = describe_event(event.verb, member.display_name if member else event.person_name)
    return {"event": event, "deed": deed, "facts": list(describe_changes(event))}
