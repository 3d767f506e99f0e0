"""Views: answering reports at the site's desk, or at another that calls `reports_at_desk`."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.cache import never_cache

from foundation.filters import page_from_request
from foundation.methods import allow_methods
from quizzes.errors import ReportChanged
from quizzes.models import MAX_ANSWER_LENGTH, Item, Report
from quizzes.reports import queries
from quizzes.reports.forms import AnswerForm, ReportFilter
from quizzes.reports.presenters.desk import (
    question_groups,
    question_title_with_sizes,
    review_address,
)
from quizzes.reports.services import answer_reports

PAGE_SIZE = 25


@dataclass(frozen=True)
class ReportDesk:
    """A place from which somebody reads and answers reports.

    Attributes:
        within: the reports that are listed there.
        scope: the scope of the recorded events.
        review_of: returns the address of the page with an item's answer, solution and points.
        names: whether the reporting students are named.
        rules_at: the address where a new regrade begins; "" without permission to regrade.
    """

    within: QuerySet[Report]
    may_answer: bool
    scope: str = ""
    review_of: Callable[[Item], str] | None = None
    names: bool = True
    rules_at: str = ""


@never_cache
@login_required
@allow_methods("GET", "POST")
def reports(request: HttpRequest) -> HttpResponse:
    """Show the reports of independent learners.

    A superuser reads all of them with names, others those on their own quizzes, with students
    numbered.
    """
    user = request.user
    if not queries.can_read_reports(user):
        raise PermissionDenied
    desk = ReportDesk(
        within=queries.reports_of_site(user),
        may_answer=user.has_perm("quizzes.change_report"),
        review_of=review_address if user.is_superuser else None,
        names=user.is_superuser,
        rules_at=reverse("quizzes:new-ruling") if user.has_perm("quizzes.add_ruling") else "",
    )
    return reports_at_desk(request, desk, "quizzes/reports/reports.html")


def reports_at_desk(
    request: HttpRequest, desk: ReportDesk, template: str, **more: Any
) -> HttpResponse:
    """List the filtered reports of a desk. A POST answers one."""
    if request.method != "POST":
        return _listed(request, desk, template, more)
    if not desk.may_answer:
        raise PermissionDenied
    form = AnswerForm(request.POST)
    chosen = queries.report_within(desk.within, form.report_key)
    if chosen is None:
        raise Http404(_("Report not found. It may have been deleted with the student’s account."))
    if not form.is_valid():
        return _listed(request, desk, template, more, chosen, form)
    try:
        count = answer_reports(
            by=request.user, within=desk.within, reply=form.reply, scope=desk.scope
        )
    except Report.DoesNotExist:
        raise Http404(_("This report was deleted with the student’s account.")) from None
    except ReportChanged as meanwhile:
        form.add_error(None, str(meanwhile))
        chosen = queries.report_within(desk.within, form.report_key)
        return _listed(request, desk, template, more, chosen, form, status=409)
    words = ngettext("%(count)s report answered.", "%(count)s reports answered.", count)
    messages.success(request, words % {"count": count})
    return redirect(request.get_full_path())


def _listed(
    request: HttpRequest,
    desk: ReportDesk,
    template: str,
    more: dict[str, Any],
    chosen: Report | None = None,
    form: AnswerForm | None = None,
    status: int = 200,
) -> HttpResponse:
    """Render the list, with the report whose answer was rejected, and the input, above it."""
    now = timezone.now()
    questions = [
        (about, question_title_with_sizes(about, question))
        for about, question in queries.reported_questions(desk.within).items()
    ]
    wanted = ReportFilter(
        request.GET,
        quiz=[(quiz.slug, quiz.title) for quiz in queries.reported_quizzes(desk.within)],
        about=sorted(questions, key=lambda question: question[1].casefold()),
    )
    found = queries.filtered_reports(desk.within, **wanted.asked)
    if chosen:
        found = found.exclude(pk=chosen.pk)
    page = page_from_request(request, found, PAGE_SIZE)
    shown = [*page.object_list, *([chosen] if chosen else ())]
    waiting = queries.open_counts(desk.within, shown)
    options = {"review_of": desk.review_of, "names": desk.names}
    context = more | {
        "desk": desk,
        "may_strike": request.user.is_staff and request.user.has_perm("quizzes.add_struckout"),
        "filter": wanted,
        "page": page,
        "groups": question_groups(page.object_list, waiting, now, **options),
        "in_hand": chosen and question_groups([chosen], waiting, now, **options)[0],
        "form": form,
        "now": now,
        "longest": MAX_ANSWER_LENGTH,
    }
    return render(request, template, context, status=status)
