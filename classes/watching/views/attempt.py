"""View: one attempt of a student."""

from datetime import timedelta

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _

from audit.queries import events
from classes.access.queries import CourseAccess
from classes.access.views import access_required
from classes.watching.queries import visible_attempt
from classes.watching.timeline import timeline
from foundation.compression import compressed_page
from quizzes.delivery.presenters.attempt import attempt_progress
from quizzes.delivery.queries.attempts import attempt_submissions, items_of
from quizzes.delivery.queries.messages import messages_sent
from quizzes.marking.views import review_context
from quizzes.models import Submission, final_number


@compressed_page
@access_required("GET")
def attempt(request: HttpRequest, access: CourseAccess, attempt: int) -> HttpResponse:
    """Show an attempt with its settings and timeline and, once it is marked, its review."""
    seen = visible_attempt(access, attempt)
    if seen is None:
        raise Http404(_("Attempt not found in this class."))
    (own, member), now = seen, timezone.now()
    own.student = member.user
    items = items_of(own)
    handed_in = attempt_submissions(own)
    counts = final_number(own.reopened)
    last = next((each for each in handed_in if each.number == counts), None)
    context = {
        "access": access,
        "member": member,
        "attempt": own,
        # Minutes added by overrides and extensions, besides those it began with.
        "minutes_more": round(own.extra_time / timedelta(minutes=1)),
        "assignment": own.sitting.assignment,
        "released": own.sitting.shows_results(now),
        "submission": last,
        "timeline": timeline(own, items, handed_in, events(target=own), messages_sent(own), now),
    }
    if last and last.state == Submission.State.GRADED:
        last.attempt = own
        context |= review_context(last)
        if access.runs:
            context["rules"] = reverse("classes:new-ruling", args=[access.course.pk])
    else:
        context["page"] = attempt_progress(own, items, now)
    return render(request, "classes/watching/attempt.html", context)
