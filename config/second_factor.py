"""Middleware that requires a second factor on the pages of staff and of people who teach.

This is the one place that decides. Without the second factor nobody with such a role gets to its
pages. On pages for everybody they count as a student: see `User.has_perm`.
"""

from collections.abc import Callable
from functools import partial
from typing import Any

from allauth.account.adapter import get_adapter
from django.conf import settings
from django.contrib import messages
from django.contrib.auth import REDIRECT_FIELD_NAME
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.functional import SimpleLazyObject
from django.utils.http import urlencode
from django.utils.translation import gettext as _

from accounts.second_factor import has_second_factor, is_second_factor_due
from classes.access.queries import courses_taught

# Everything not named here belongs to a role, so that a new page is closed until somebody opens
# it. The API is behind tokens, which are made on a page that belongs to a role.
PUBLIC_NAMESPACES = {"", "lessons", "outbox", "design", "quizzes", "api:v1"}
ROLE_URLS = {
    f"quizzes:{name}"
    for name in ("reports", "rulings", "new-ruling", "ruling", "apply-ruling", "undo-ruling")
}
STUDENT_URLS = {
    *("classes:enter", "classes:join", "classes:leave", "classes:calendar-file"),
    *("api:reference", "api:nowhere"),
    # They redirect, or log out.
    *("admin:login", "admin:logout"),
}
# The session's key for the page from which somebody was redirected.
SESSION_KEY = "second_factor_left"
MAX_KEPT_LENGTH = 64 * 1024


class SecondFactorMiddleware:
    """Middleware that asks for a due second factor. It needs the user, CSRF checks and messages."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if not settings.STAFF_MFA:
            return self.get_response(request)
        known = request.user

        def with_what_is_due() -> Any:
            known.is_role_withheld = partial(is_second_factor_due, request)
            return known

        # A page that is the same for everybody reads no session.
        request.user = SimpleLazyObject(with_what_is_due)
        answer = self.get_response(request)
        if answer.status_code in (403, 404) and getattr(known, "role_was_missed", False):
            return _redirect_to_second_factor(request)
        return answer

    def process_view(self, request: HttpRequest, *_view: Any) -> HttpResponse | None:
        if not (settings.STAFF_MFA and belongs_to_role(request.resolver_match)):
            return None
        if not request.user.is_authenticated:
            return None
        if is_second_factor_due(request):
            return _redirect_to_second_factor(request) if _has_role(request.user) else None
        return _offer_kept_form(request)


def belongs_to_role(match: Any) -> bool:
    """Return whether an address is for staff, or for those who teach."""
    if match.view_name in ROLE_URLS:
        return True
    return match.namespace not in PUBLIC_NAMESPACES and match.view_name not in STUDENT_URLS


def _has_role(user: Any) -> bool:
    return (
        user.is_staff
        or user.is_superuser
        or courses_taught(user).exists()
        or bool(user.get_all_permissions())
    )


def _redirect_to_second_factor(request: HttpRequest) -> HttpResponse:
    """Redirect to the second factor, or to its setup. The session keeps the submitted form."""
    where = request.get_full_path()
    if _is_a_page(request):
        request.session[SESSION_KEY] = {"path": where} | _submitted_fields(request)
    if has_second_factor(request.user):
        way = get_adapter().get_reauthentication_methods(request.user)[0]["url"]
        return redirect(f"{way}?{urlencode({REDIRECT_FIELD_NAME: where})}")
    why = _(
        "The page you asked for shows other people’s answers and marks, so it "
        "needs more than a password. Set up an authenticator app or a passkey "
        "here, then go back to that page."
    )
    messages.warning(request, why)
    return redirect("mfa_index")


def _offer_kept_form(request: HttpRequest) -> HttpResponse | None:
    """Return a page that offers to send the form that was kept, or None."""
    left = request.session.get(SESSION_KEY) if _is_a_page(request) else None
    if left is None:
        return None
    returns = request.method == "GET" and left["path"] == request.get_full_path()
    if not (returns and "fields" in left):
        del request.session[SESSION_KEY]
    if returns and ("fields" in left or "lost" in left):
        context = left | {"account": reverse("account")}
        return render(request, "second_factor/send.html", context)
    return None


def _is_a_page(request: HttpRequest) -> bool:
    """Return whether the browser navigates to a page, as opposed to a script's request."""
    return request.headers.get("Sec-Fetch-Mode", "navigate") == "navigate"


def _submitted_fields(request: HttpRequest) -> dict[str, Any]:
    """Return a form's fields except passwords, or only a note if they are too long to keep."""
    if request.method != "POST":
        return {}
    if request.FILES or len(request.POST.urlencode()) > MAX_KEPT_LENGTH:
        return {"lost": True}
    fields = [
        (name, value)
        for name, values in request.POST.lists()
        if "password" not in name and name != "csrfmiddlewaretoken"
        for value in values
    ]
    return {"fields": fields}
