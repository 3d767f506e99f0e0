"""View: the history of a class."""

from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from audit.queries import event_page, events
from classes.access.forms import ticked_keys
from classes.access.queries import CourseAccess, actors_in, event_of, visible_member
from classes.access.views import access_required
from classes.history.forms import HistoryFilter
from classes.history.presenters import event_lines
from classes.history.words import VERB_WORDS, describe_event


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
    context = {
        "access": access,
        "filter": wanted,
        "member": member,
        "lines": event_lines(access.course, listed),
        "last": listed[-1] if has_more else None,
        "after": after,
    }
    return render(request, "classes/history/history.html", context)
