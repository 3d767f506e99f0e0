"""Views: practice questions marked at once and never stored: for guests, and of sections."""

from http import HTTPStatus

from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.shortcuts import get_object_or_404, render
from django.template.backends.utils import csrf_input
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.cache import never_cache

from foundation.methods import allow_methods
from foundation.rate_limits import is_within
from lessons.models import Rung, Section
from lessons.pages.queries import (
    first_lesson,
    lessons_listed_for,
    lessons_visible_to,
    rung_of,
    sections_by_family,
)
from lessons.pages.services import reach_rung
from quizzes.delivery.forms import parse_draft
from quizzes.errors import CANNOT_BE_READ
from quizzes.models import Answer, Grade, Item
from quizzes.practice import guest
from quizzes.practice.exercises import Exercise, exercise_of
from quizzes.practice.presenters.exercises import printed_exercise
from quizzes.practice.presenters.practice import guest_page_context
from quizzes.problems import unreadable_field, verdicts
from quizzes.problems.answers import is_begun, is_complete
from quizzes.written.queries import drop_closed

TOO_MANY = gettext_lazy("Too many answers in a short time. Wait a minute, then check again.")


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
        message = _("That question is no longer available, so here’s another.")
        return _page(request, guest.first_number(), message=message)
    if "question" not in request.GET:
        return _page(request, number)
    if not is_within(request, "try_question"):
        return _page(request, number, message=str(TOO_MANY), status=HTTPStatus.TOO_MANY_REQUESTS)
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
    marked, missing = _mark(item) if check else (None, "")
    context = {
        "page": guest_page_context(item, marked, sections_by_family()),
        "question": guest.sign_number(number),
        "first": first_lesson(lessons_listed_for(request.user)),
        "message": message or missing,
    }
    return render(request, "quizzes/practice/try.html", context, status=status)


def _mark(item: Item) -> tuple[tuple[Answer, Grade] | None, str]:
    """Return the answer and grade of a draft, or a sentence on what it lacks."""
    if unreadable_field(item.asked, item.draft):
        return None, str(CANNOT_BE_READ)
    if is_complete(item.asked, item.draft):
        return guest.mark_guest_item(item), ""
    if is_begun(item.asked, item.draft):
        return None, _("A cell is still empty. Fill it in, then check again.")
    return None, _("Type an answer before you check it.")


# The exercises of sections


@never_cache
@allow_methods("GET", "POST")
def exercise(request: HttpRequest, slug: str, section: str) -> HttpResponse:
    """Show a section's exercise, marked at once if it comes with an answer.

    A visitor's answer is in the URL, as a guest's is. Students post theirs, because a right one
    takes them to the next rung.
    """
    visible = Section.objects.filter(lesson__in=lessons_visible_to(request.user))
    found = get_object_or_404(visible.select_related("lesson"), lesson__slug=slug, slug=section)
    student = request.user if request.user.is_authenticated else None
    rung = (rung_of(student, found) if student else None) or Rung.EXAMPLE
    families = ", ".join(drop_closed(found.family_keys))
    first = exercise_of(slug, section, found.pk, families, rung)
    if first is None:
        raise Http404(_("This section has no exercise."))
    sent = request.POST if request.method == "POST" else request.GET
    marked, message, status = None, "", HTTPStatus.OK
    try:
        asked = _asked(sent, first)
    except guest.InvalidSignature:
        asked, sent = first, QueryDict()
        message = _("Those numbers aren’t used here any more, so here are others.")
    item = asked.item()
    item.draft = parse_draft(sent, item)
    if "question" in sent and is_within(request, "try_question"):
        marked, message = _mark(item)
    elif "question" in sent:
        message, status = str(TOO_MANY), HTTPStatus.TOO_MANY_REQUESTS
    if student and request.method == "POST" and marked and marked[1].verdict == verdicts.RIGHT:
        reach_rung(student=student, section=found, rung=asked.next_rung)
    token = csrf_input(request) if student else ""
    context = {
        "section": found,
        "exercise": printed_exercise(asked, item, marked, message=message, token=token),
    }
    return render(request, "quizzes/practice/exercise.html", context, status=status)


def _asked(sent: QueryDict, first: Exercise) -> Exercise:
    """Return the exercise that a form or link asks for.

    Raises:
        InvalidSignature: it is none of this section's.
    """
    if "question" in sent:
        return first.signed(sent["question"])
    asked = first.signed(sent["after"]).with_other_numbers() if "after" in sent else first
    if "rung" not in sent:
        return asked
    if sent["rung"] not in map(str, Rung.values):
        raise guest.InvalidSignature(sent["rung"][:20])
    return asked.on(int(sent["rung"]))
