"""What was done in a class, by whom, and why."""

from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from audit.queries import events, page
from classes.access.forms import chosen_keys
from classes.access.queries import Seat, actors_in, event_of, member_seen, named_members
from classes.access.views import seated
from classes.history.forms import HistoryFilter
from classes.history.presenters import history_lines, is_of_member
from classes.history.words import DEEDS, deed_told


@seated("GET")
def history(request: HttpRequest, seat: Seat) -> HttpResponse:
    """The events of the class, newest first; of one member, where one was chosen."""
    if not seat.sees_all:
        raise PermissionDenied  # it tells of people of other sections
    deeds = {verb: deed_told(verb) for verb in DEEDS}
    wanted = HistoryFilter(request.GET, actors_in(seat.course), deeds)
    member = member_seen(seat, chosen_keys(request.GET))
    found = events(scope=seat.course.scope, target=member, **wanted.wanted)
    after = event_of(seat.course, chosen_keys(request.GET, "after"))
    listed, has_more = page(found, after=after)
    of_members = {event.target_id for event in listed if is_of_member(event)}
    members = named_members(seat.course, of_members)
    context = {
        "seat": seat,
        "filter": wanted,
        "member": member,
        "lines": history_lines(listed, members),
        "last": listed[-1] if has_more else None,
        "after": after,
    }
    return render(request, "classes/history/history.html", context)
