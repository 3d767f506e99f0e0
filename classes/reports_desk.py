"""View: reports by students about questions in the class's assignments."""

from django.http import HttpRequest, HttpResponse
from django.urls import reverse

from classes.access.queries import Seat, reports_seen
from classes.access.views import seated
from quizzes.reports.views import Desk, at_desk


@seated("GET", "POST")
def reports(request: HttpRequest, seat: Seat) -> HttpResponse:
    """List the reports visible from this seat, and answer them."""
    desk = Desk(
        within=reports_seen(seat),
        may_answer=seat.helps,
        scope=seat.course.scope,
        rules_at=reverse("classes:new-ruling", args=[seat.course.pk]) if seat.runs else "",
    )
    return at_desk(request, desk, "classes/reports.html", seat=seat)
