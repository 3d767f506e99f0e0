"""View: reports by students about questions in the class's assignments."""

from functools import partial

from django.http import HttpRequest, HttpResponse
from django.urls import reverse

from classes.access.queries import CourseAccess, visible_reports
from classes.access.views import access_required
from quizzes.models import Item
from quizzes.reports.views import ReportDesk, reports_at_desk


@access_required("GET", "POST")
def reports(request: HttpRequest, access: CourseAccess) -> HttpResponse:
    """List the reports visible to the user, and answer them."""
    desk = ReportDesk(
        within=visible_reports(access),
        may_answer=access.helps,
        scope=access.course.scope,
        review_of=partial(_review_address, access.course.pk),
        rules_at=reverse("classes:new-ruling", args=[access.course.pk]) if access.runs else "",
    )
    return reports_at_desk(request, desk, "classes/reports.html", access=access)


def _review_address(course: int, item: Item) -> str:
    return f"{reverse('classes:attempt', args=[course, item.attempt_id])}#item-{item.position}"
