"""What was done in a class, by whom, and why."""

from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from audit.queries import events, page
from classes import presenters, queries
from classes.forms import HistoryFilter, chosen_keys
from classes.queries import Seat
from classes.views.shared import seated


@seated("GET")
def history(request: HttpRequest, seat: Seat) -> HttpResponse:
    """The events of the class, newest first; of one member, where one was chosen."""
    if not seat.sees_all:
        raise PermissionDenied  # it tells of people of other sections
    deeds = {verb: presenters.deed_told(verb) for verb in presenters.DEEDS}
    wanted = HistoryFilter(request.GET, queries.actors_in(seat.course), deeds)
    member = queries.member_seen(seat, chosen_keys(request.GET))
    found = events(scope=seat.course.scope, target=member, **wanted.wanted)
    after = queries.event_of(seat.course, chosen_keys(request.GET, "after"))
    listed, has_more = page(found, after=after)
    of_members = {event.target_id for event in listed if presenters.is_of_member(event)}
    members = queries.named_members(seat.course, of_members)
    context = {
        "seat": seat,
        "filter": wanted,
        "member": member,
        "lines": presenters.history_lines(listed, members),
        "last": listed[-1] if has_more else None,
        "after": after,
    }
    return render(request, "classes/history.html", context)
