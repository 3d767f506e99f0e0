"""A student's dates for calendar programs: the page that makes their address, and the file."""

from allauth.core.internal import ratelimit
from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache

from classes import calendars
from classes.services.calendars import end_calendar, make_calendar
from foundation.methods import allow_methods
from foundation.tokens import hashed

# In a session, between the making of an address and the page that shows it: it is shown once.
NEW = "new_calendar"
GET_COUNTS = {"app": "allauth.account", "limit_get": True}


@never_cache
@allow_methods("GET", "POST")
@login_required
def calendar(request: HttpRequest) -> HttpResponse:
    """Make the address, make another one, or let it lead nowhere."""
    if request.method == "POST":
        if request.POST.get("do") == "make":
            request.session[NEW] = make_calendar(user=request.user)
        elif request.POST.get("do") == "end":
            end_calendar(user=request.user)
            messages.success(request, _("The calendar address has been turned off."))
        return redirect("classes:calendar")
    token = request.session.pop(NEW, "")
    address = settings.SITE_URL + reverse("classes:calendar-file", args=[token]) if token else ""
    context = {"made": calendars.calendar_of(request.user), "address": address}
    return render(request, "classes/calendar.html", context)


@allow_methods("GET")
def file(request: HttpRequest, token: str) -> HttpResponse:
    """The dates of whoever has made this address. No login: a program fetches it.

    One server fetches the calendars of many: by its address only wrong tokens are counted.
    """
    user = calendars.whose(token)
    counted = {"action": "miss_calendar"}
    if user is not None:
        counted = {"action": "fetch_calendar", "key": hashed(token)}
    if limited := ratelimit.consume_or_429(request, **counted, **GET_COUNTS):
        return limited
    if user is None:
        raise Http404(_("There is no calendar at this address, or it has been turned off."))
    answer = HttpResponse(calendars.file_of(user), content_type="text/calendar; charset=utf-8")
    answer["Content-Disposition"] = 'inline; filename="softmark.ics"'
    answer["Cache-Control"] = "private, max-age=300"
    return answer
