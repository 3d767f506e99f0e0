"""Reporting a question from its page: with the page's form, or by its script."""

import re
from collections.abc import Collection
from http import HTTPStatus

from django.contrib import messages
from django.http import Http404, HttpRequest, JsonResponse
from django.utils.translation import gettext as _

from foundation.rate_limits import is_within
from quizzes import errors
from quizzes.delivery.queries.attempts import item_at, own_attempt
from quizzes.delivery.views.shared import or_404, refusal, script_view
from quizzes.models import Attempt, Item, Report
from quizzes.problems.answers import input_name
from quizzes.reports.forms import ReportForm
from quizzes.reports.presenters.student import RejectedReport
from quizzes.reports.queries import reports_on, unread_answers
from quizzes.reports.services import mark_answers_seen, report_item

_POSITION = re.compile("[0-9]{1,5}")


def is_report(request: HttpRequest) -> bool:
    """Return whether the button that reports a question was pressed."""
    return "report" in request.POST


def handle_report(request: HttpRequest, own: Attempt) -> RejectedReport | None:
    """Report the question whose button was pressed. Return the refusal, if there is one.

    Raises:
        Http404: there is no such question.
    """
    position = pressed_position(request)
    trouble = _report(request, own, position, input_name(position, "report"))
    if trouble is None:
        messages.success(request, _success_message())
    return trouble


def pressed_position(request: HttpRequest) -> int:
    """Return the position of the question whose button was pressed.

    Raises:
        Http404: it is not a position.
    """
    pressed = request.POST.get("report", "")
    if not _POSITION.fullmatch(pressed):
        raise Http404(_("Question not found."))
    return int(pressed)


@script_view("POST")
def report(request: HttpRequest, pk: int, position: int) -> JsonResponse:
    """Report one question for the page's script."""
    own = or_404(own_attempt(request.user, pk))
    trouble = _report(request, own, position, "sentence")
    if trouble:
        return refusal(trouble.status, trouble.trouble)
    return JsonResponse({"said": _success_message()})


def _report(request: HttpRequest, own: Attempt, position: int, name: str) -> RejectedReport | None:
    """Report the item at this position. Return the refusal; None if it was reported."""
    try:
        item = item_at(own, position)
    except Item.DoesNotExist:
        raise Http404(_("Question not found.")) from None
    typed = request.POST.get(name, "")
    form = ReportForm({"sentence": typed})
    if not form.is_valid():
        trouble = " ".join(form.errors["sentence"])
        return RejectedReport(position, typed, trouble, HTTPStatus.BAD_REQUEST)
    if not is_within(request, "report_question"):
        trouble = _("You’ve sent many reports in a short time. Wait a few minutes, then try again.")
        return RejectedReport(position, typed, trouble, HTTPStatus.TOO_MANY_REQUESTS)
    try:
        report_item(item=item, sentence=form.cleaned_data["sentence"])
    except errors.Refused as refused:
        return RejectedReport(position, typed, str(refused), HTTPStatus.CONFLICT)
    return None


def _success_message() -> str:
    return _("Your report has been sent. You can change it until it’s answered.")


def read_reports(own: Attempt) -> list[Report]:
    """Return the reports of an attempt's items, and mark answered ones as read."""
    found = reports_on(own)
    if new := unread_answers(found):
        mark_answers_seen(reports=new)
    return found


def answered_reports(reports: Collection[Report]) -> list[Report]:
    """Return the answered reports, for pages that show no questions."""
    return [each for each in reports if not each.is_open]
