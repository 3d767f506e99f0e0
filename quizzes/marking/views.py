"""Views: the results of an attempt, for its student and for instructors."""

from typing import Any

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache

from design.fragments import render_page
from foundation.compression import compressed_page
from foundation.methods import allow_methods
from lessons.pages.queries import lessons_listed_for, next_step, progress_of, sections_by_family
from quizzes.delivery.presenters.due import due_context
from quizzes.delivery.queries.attempts import last_submission, latest_attempts, valid_certificate
from quizzes.delivery.queries.counting import passed_lessons
from quizzes.delivery.queries.practicable import closed_problems
from quizzes.delivery.queries.secrecy import ShownMarks, VisibleMarks, visible_marks
from quizzes.delivery.views import reporting
from quizzes.delivery.views.attempt import _own_attempt, _still_open
from quizzes.items.queries import topic_titles
from quizzes.marking.presenters.results import build_review, describe_time_taken
from quizzes.marking.queries import earlier_mistakes, graded_answers, marked_exam
from quizzes.models import Attempt, Submission
from quizzes.notifiers import grading_notifier
from quizzes.regrades.queries.regrades import can_regrade, review_corrections
from quizzes.reports.presenters.student import own_reports, with_reports


@compressed_page
@never_cache
@login_required
@allow_methods("GET", "POST")
def results(request: HttpRequest, pk: int) -> HttpResponse:
    """Show the receipt until the attempt is marked and released, then the review.

    A POST reports a question.
    """
    own = _own_attempt(request, pk)
    if _still_open(own):
        return redirect(own)
    not_reported = None
    if request.method == "POST":
        not_reported = reporting.handle_report(request, own)
        if not_reported is None:
            return redirect(f"{request.path}#item-{reporting.pressed_position(request)}")
    submission = last_submission(own)
    if submission is None:
        return redirect(own)  # reopened at this very moment
    own = submission.attempt
    own.student = request.user
    if submission.state == Submission.State.WAITING:
        grading_notifier.wake_again()
    reports = reporting.read_reports(own)
    context = {
        "attempt": own,
        "submission": submission,
        "answered_reports": reporting.answered_reports(reports),
        **due_context(own),
    }
    now = timezone.now()
    if not own.shows_results(now):
        context["closed"] = own.sitting.has_closed(now)
        return render(request, "quizzes/marking/received.html", context)
    if submission.state != Submission.State.GRADED:
        return render(request, "quizzes/marking/waiting.html", context)
    if own.is_preview:
        return _results_page(request, context | review_context(submission))
    marks = visible_marks(request.user, now)
    context |= review_context(submission, marks)
    items = context["review"].items
    below = own_reports([item.position for item in items], reports, not_reported)
    context |= {"items": with_reports(items, below), "may_report": True}
    passed = context["review"].score.passed
    context["may_certify"] = passed or valid_certificate(own) is not None
    if passed is not False:
        lessons = lessons_listed_for(request.user)
        progress = progress_of(request.user, lessons)
        finished = passed_lessons(latest_attempts(request.user), marks)
        context["next_step"] = next_step(lessons, progress, finished)
    status = not_reported.status if not_reported else 200
    return _results_page(request, context, status)


@compressed_page
@never_cache
@login_required
@allow_methods("GET")
def review_of_student(request: HttpRequest, pk: int) -> HttpResponse:
    """Show the review of a student's attempt to an instructor, before its release too."""
    may_read = request.user.is_staff and request.user.has_perm("quizzes.view_attempt")
    seen = Attempt.objects.visible_to(request.user)
    submission = marked_exam(seen, pk) if may_read else None
    if submission is None:
        raise Http404(_("Review not found."))
    context = {
        "attempt": submission.attempt,
        "student": submission.attempt.student,
        "released": submission.attempt.shows_results(timezone.now()),
        **due_context(submission.attempt),
    }
    if can_regrade(request.user, submission.attempt):
        context["rules"] = reverse("quizzes:new-ruling")
    return _results_page(request, context | review_context(submission))


# What the page shows only to some of its readers.
ONLY_FOR_SOME = dict.fromkeys(
    ("student", "released", "rules", "may_report", "may_certify", "next_step")
)


def _results_page(request: HttpRequest, context: dict[str, Any], status: int = 200) -> HttpResponse:
    page = "quizzes/marking/results.html"
    return render_page(request, page, ONLY_FOR_SOME | context, status=status)


def review_context(submission: Submission, marks: VisibleMarks | None = None) -> dict[str, Any]:
    """Return the context of a review.

    It has as much as the student may see by `marks`, or everything without them.
    """
    marked, graded = submission.attempt, graded_answers(submission)
    hidden = marks.withheld(marked) if marks else ()
    families = {answer.item.variant.family for answer, _grade in graded if answer.item.variant}
    corrections = review_corrections(marked, [answer.pk for answer, _grade in graded])
    found = build_review(
        marked,
        graded,
        marks.of(marked) if marks else ShownMarks.whole(marked),
        homes=sections_by_family(families),
        titles=topic_titles(),
        earlier=earlier_mistakes(marked),
        hidden=hidden,
        decided=marks.decided if marks else (),
        until=marks.end(marked) if marks and hidden else None,
        corrections=corrections,
        closed=closed_problems(marked.student, families),
    )
    took = describe_time_taken(marked)
    return {"submission": submission, "review": found, "items": found.items, "took": took}
