"""View: reports by students about questions in the class's assignments."""

from django.http import HttpRequest, HttpResponse
from django.urls import reverse

from classes.access.queries import Seat, visible_reports
from classes.access.views import seat_required
from quizzes.reports.views import ReportDesk, reports_at_desk


@seat_required("GET", "POST")
def reports(request: HttpRequest, seat: Seat) -> HttpResponse:
    """List the reports visible from this seat, and answer them."""
    desk = ReportDesk(
        within=visible_reports(seat),
        may_answer=seat.helps,
        scope=seat.course.scope,
        rules_at=reverse("classes:new-ruling", args=[seat.course.pk]) if seat.runs else "",
    )
    return reports_at_desk(request, desk, "classes/reports.html", seat=seat)
