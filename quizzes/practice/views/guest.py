"""Views: a practice question for guests, marked at once and never stored."""

from http import HTTPStatus

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache

from foundation.methods import allow_methods
from foundation.rate_limits import is_within
from lessons.pages.queries import first_lesson, lessons_listed_for, sections_by_family
from quizzes.delivery.forms import parse_draft
from quizzes.practice import guest
from quizzes.practice.presenters.practice import guest_page_context
from quizzes.problems.answers import is_begun, is_complete


@never_cache
@allow_methods("GET")
def try_out(request: HttpRequest) -> HttpResponse:
    """Show a prepared question, marked at once if it comes with an answer.

    Nothing is stored, so the answer is in the URL: going back, or loading the page again, marks it
    again. A question without a valid signature is replaced by another.
    """
    try:
        number = _number(request)
    except guest.InvalidSignature:
        message = _("That question is no longer available, so here is another.")
        return _page(request, guest.first_number(), message=message)
    if "question" not in request.GET:
        return _page(request, number)
    if not is_within(request, "try_question"):
        message = _("Too many answers in a short time. Wait a minute, then check again.")
        return _page(request, number, message=message, status=HTTPStatus.TOO_MANY_REQUESTS)
    return _page(request, number, check=True)


def _number(request: HttpRequest) -> int:
    if "question" in request.GET:
        return guest.unsign_number(request.GET["question"])
    if "after" in request.GET:
        return guest.next_number(guest.unsign_number(request.GET["after"]))
    return guest.first_number()


def _page(
    request: HttpRequest, number: int, *, message: str = "", check: bool = False, status: int = 200
) -> HttpResponse:
    """Render the question with the typed answer, and its mark if `check`."""
    item = guest.guest_item(number)
    item.draft = parse_draft(request.GET, item)
    answer = grade = None
    if check and is_complete(item.asked, item.draft):
        answer, grade = guest.mark_guest_item(item)
    elif check and is_begun(item.asked, item.draft):
        message = _("A cell is still empty. Fill it in, then check again.")
    elif check:
        message = _("Type an answer before you check it.")
    context = {
        "page": guest_page_context(item, answer, grade, sections_by_family()),
        "question": guest.sign_number(number),
        "first": first_lesson(lessons_listed_for(request.user)),
        "message": message,
    }
    return render(request, "quizzes/practice/try.html", context, status=status)
