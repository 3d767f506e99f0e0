"""A student's dates for calendar programs: the page that makes their address, and the file."""

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache

from classes.assignments import calendars
from classes.assignments.services.calendars import end_calendar, make_calendar
from foundation.downloads import disposition_of
from foundation.methods import allow_methods
from foundation.rate_limits import is_within, too_many
from foundation.tokens import hashed

# In a session, between the making of an address and the page that shows it: it is shown once.
NEW = "new_calendar"


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
    return render(request, "classes/assignments/calendar.html", context)


@allow_methods("GET")
def file(request: HttpRequest, token: str) -> HttpResponse:
    """The dates of whoever has made this address. No login: a program fetches it.

    One server fetches the calendars of many: by its address only wrong tokens are counted.
    """
    user = calendars.whose(token)
    action = "miss_calendar" if user is None else "fetch_calendar"
    if not is_within(request, action, key=hashed(token)):
        return too_many(request)
    if user is None:
        raise Http404(_("There is no calendar at this address, or it has been turned off."))
    answer = HttpResponse(calendars.file_of(user), content_type="text/calendar; charset=utf-8")
    answer["Content-Disposition"] = disposition_of("softmark.ics", is_attachment=False)
    answer["Cache-Control"] = "private, max-age=300"
    return answer
