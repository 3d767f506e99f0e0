"""Answers that several pages of a quiz give: log in first, not now, no such quiz."""

from collections.abc import Sequence
from difflib import get_close_matches

from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render, resolve_url
from django.utils.http import urlencode
from django.utils.translation import gettext as _

from foundation.rate_limits import is_within
from quizzes.authoring.queries import open_quizzes
from quizzes.delivery.effective_settings import Terms
from quizzes.errors import NotOpen


def log_in(come_back: str) -> str:
    return f"{resolve_url('account_login')}?{urlencode({'next': come_back})}"


def log_in_again() -> JsonResponse:
    return refusal(401, _("Log in again to continue."))


def refusal(status: int, message: str, **more: object) -> JsonResponse:
    return JsonResponse({"error": message, **more}, status=status)


def terms_at(choices: Sequence[Terms], sitting: int | None) -> Terms | None:
    """Those of the sitting that is asked for, or of the only one there is.

    Raises:
        Http404: this sitting is not among a student's choices.
    """
    if sitting is None:
        return choices[0] if len(choices) == 1 else None
    for terms in choices:
        if terms.sitting.pk == sitting:
            return terms
    raise Http404(_("You cannot take this quiz there."))


def check_pace(request: HttpRequest) -> None:
    """Count a start, of an attempt or of practice; a page that asks again by itself counts none.

    Raises:
        NotOpen: this student has started more in a short time than anybody works through.
    """
    if not is_within(request, "start_attempt", count=request.method == "POST"):
        raise NotOpen(
            _(
                "You have started many attempts in a short time. Wait ten minutes, then start"
                " again. What you have begun is saved."
            )
        )


def no_such_quiz(request: HttpRequest, slug: str) -> HttpResponse:
    quizzes = {each.slug: each for each in open_quizzes()}
    meant = [quizzes[near] for near in get_close_matches(slug, quizzes, n=1)]
    context = {"slug": slug, "meant": meant, "quizzes": quizzes.values()}
    return render(request, "quizzes/delivery/not_found.html", context, status=404)
