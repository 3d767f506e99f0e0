"""What several pages share: being sent to log in, refusals in JSON, an address with no quiz."""

from difflib import get_close_matches

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render, resolve_url
from django.utils.http import urlencode
from django.utils.translation import gettext as _

from quizzes import queries


def log_in(come_back: str) -> str:
    return f"{resolve_url('account_login')}?{urlencode({'next': come_back})}"


def log_in_again() -> JsonResponse:
    return refusal(401, _("Log in again to go on."))


def refusal(status: int, message: str, **more: object) -> JsonResponse:
    return JsonResponse({"error": message, **more}, status=status)


def no_such_quiz(request: HttpRequest, slug: str) -> HttpResponse:
    quizzes = {each.slug: each for each in queries.open_quizzes()}
    meant = [quizzes[near] for near in get_close_matches(slug, quizzes, n=1)]
    context = {"slug": slug, "meant": meant, "quizzes": quizzes.values()}
    return render(request, "quizzes/not_found.html", context, status=404)
