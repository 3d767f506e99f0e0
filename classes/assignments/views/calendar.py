"""Views: the calendar's address, and the calendar file."""

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache

from classes.assignments import calendars
from classes.assignments.services.calendars import create_calendar, delete_calendar
from foundation.downloads import content_disposition
from foundation.methods import allow_methods
from foundation.rate_limits import is_within, too_many_requests
from foundation.tokens import hash_token

# The session key that holds a new token until the page shows it, once.
SESSION_KEY = "new_calendar"


@never_cache
@allow_methods("GET", "POST")
@login_required
def calendar(request: HttpRequest) -> HttpResponse:
    """Show the calendar's settings; on POST, create, replace or delete its address."""
    if request.method == "POST":
        if request.POST.get("do") == "make":
            request.session[SESSION_KEY] = create_calendar(user=request.user)
        elif request.POST.get("do") == "end":
            delete_calendar(user=request.user)
            messages.success(request, _("The calendar address has been turned off."))
        return redirect("classes:calendar")
    token = request.session.pop(SESSION_KEY, "")
    address = settings.SITE_URL + reverse("classes:calendar-file", args=[token]) if token else ""
    context = {"made": calendars.calendar_of(request.user), "address": address}
    return render(request, "classes/assignments/calendar.html", context)


@allow_methods("GET")
def file(request: HttpRequest, token: str) -> HttpResponse:
    """Serve the calendar file of a token. No login: a program fetches it.

    One server fetches the calendars of many users, so only wrong tokens count by IP address.
    """
    user = calendars.user_with_token(token)
    action = "miss_calendar" if user is None else "fetch_calendar"
    if not is_within(request, action, key=hash_token(token)):
        return too_many_requests(request)
    if user is None:
        raise Http404(_("There’s no calendar at this address, or it has been turned off."))
    answer = HttpResponse(
        calendars.render_calendar(user), content_type="text/calendar; charset=utf-8"
    )
    answer["Content-Disposition"] = content_disposition("softmark.ics", is_attachment=False)
    answer["Cache-Control"] = "private, max-age=300"
    return answer
