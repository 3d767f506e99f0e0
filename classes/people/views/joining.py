"""Views: joining a class by its code or by a link, and leaving it."""

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache

from classes import codes
from classes.access.queries import STAFF_ROLES, active_membership, membership_in
from classes.errors import Refused
from classes.people.forms import CodeForm
from classes.people.services import joining
from classes.people.services.people import leave_course
from foundation.methods import allow_methods
from foundation.rate_limits import is_within, too_many_requests

# Wrong codes count for each user, so that a hall behind one IP address is not blocked; new accounts
# are limited by address, too. A link can be a guess as well, so GET counts.
WRONG_CODE_LIMIT = "join_class"
# Every anonymous visit to a link counts, by IP address: a hall opens one within a minute.
OPEN_LINK_LIMIT = "open_join_link"
# The cookie with the class that a visitor wants to join before they have an account. A session
# would add a row for each visitor's guess.
COOKIE = "class_to_join"
DAYS_TO_WAIT = 14


@never_cache
@allow_methods("GET", "POST")
@login_required
def enter(request: HttpRequest) -> HttpResponse:
    """Ask for a code, and check it."""
    form = CodeForm(request.POST or None)
    if form.is_valid():
        if not is_within(request, WRONG_CODE_LIMIT, count=False):
            return too_many_requests(request)
        code = codes.parse_code(form.cleaned_data["code"])
        try:
            joining.course_to_join(code)
        except Refused as refusal:
            _count_wrong_code(request, refusal)
            form.add_error("code", str(refusal))
        else:
            return redirect("classes:join", code)
    return render(request, "classes/people/enter.html", {"form": form})


@never_cache
@allow_methods("GET", "POST")
def join(request: HttpRequest, code: str) -> HttpResponse:
    """Ask whether to join the class with this code, and join it on POST.

    Anonymous visitors log in first, and learn nothing about the class before that.
    """
    if not request.user.is_authenticated:
        return _render_login(request, codes.parse_code(code))
    answer = _joining(request, code)
    if COOKIE in request.COOKIES:
        answer.delete_cookie(COOKIE)
    return answer


def pending_code(request: HttpRequest) -> str:
    """Return the code of the class that waits to be joined in this browser, or ""."""
    return codes.parse_code(request.COOKIES.get(COOKIE, ""))


def _render_login(request: HttpRequest, code: str) -> HttpResponse:
    if not is_within(request, OPEN_LINK_LIMIT):
        return too_many_requests(request)
    context = {"come_back": request.path}
    answer = render(request, "classes/people/join_log_in.html", context)
    if code:
        answer.set_cookie(
            COOKIE,
            code,
            max_age=DAYS_TO_WAIT * 24 * 3600,
            httponly=True,
            samesite="Lax",
            secure=settings.SESSION_COOKIE_SECURE,
        )
    return answer


def _joining(request: HttpRequest, code: str) -> HttpResponse:
    if not is_within(request, WRONG_CODE_LIMIT, count=False):
        return too_many_requests(request)
    meant = codes.parse_code(code)
    try:
        course = joining.course_to_join(meant)
        if request.method == "POST":
            member = joining.join(user=request.user, code=meant)
            messages.success(request, _("You’ve joined the class %(title)s.") % {"title": course})
            return redirect(course if member.role in STAFF_ROLES else "quizzes:home")
    except Refused as refusal:
        _count_wrong_code(request, refusal)
        return render(request, "classes/people/not_joined.html", {"refusal": refusal}, status=404)
    place = membership_in(course, request.user)
    return render(request, "classes/people/join.html", {"course": course, "place": place})


@never_cache
@allow_methods("GET", "POST")
@login_required
def leave(request: HttpRequest, pk: int) -> HttpResponse:
    """Ask for confirmation, then leave the class."""
    member = active_membership(request.user, pk)
    if member is None:
        raise Http404(_("You’re not in this class."))
    if request.method == "POST":
        try:
            leave_course(member=member)
        except Refused as refusal:
            messages.error(request, str(refusal))
        else:
            words = _("You’ve left the class %(title)s.")
            messages.success(request, words % {"title": member.course})
        return redirect("quizzes:home")
    return render(request, "classes/people/leave.html", {"member": member})


def _count_wrong_code(request: HttpRequest, refusal: Refused) -> None:
    if isinstance(refusal, joining.WrongCode):
        is_within(request, WRONG_CODE_LIMIT)
