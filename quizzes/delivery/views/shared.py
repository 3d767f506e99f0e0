"""Helpers for several pages of a quiz: log in first, refusals, no such quiz."""

from collections.abc import Callable, Sequence
from difflib import get_close_matches
from functools import wraps

from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render, resolve_url
from django.utils.http import urlencode
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache

from foundation.methods import View, allow_methods
from foundation.rate_limits import is_within
from quizzes.authoring.queries import open_quizzes
from quizzes.delivery.effective_settings import EffectiveSettings
from quizzes.delivery.forms import InvalidSave
from quizzes.delivery.presenters import receipts
from quizzes.errors import NotOpen, Outdated
from quizzes.models import Attempt, Item


def login_url(come_back: str) -> str:
    return f"{resolve_url('account_login')}?{urlencode({'next': come_back})}"


def script_view(*methods: str) -> Callable[[View], View]:
    """Decorate a view of an attempt for a page's script: errors become JSON too."""

    def decorate(view: View) -> View:
        @never_cache
        @allow_methods(*methods)
        @wraps(view)
        def answer(request: HttpRequest, pk: int, **kwargs: object) -> HttpResponse:
            if not request.user.is_authenticated:
                return refusal(401, _("Log in again to continue."))
            try:
                return view(request, pk, **kwargs)
            except InvalidSave as wrong:
                return refusal(400, str(wrong))
            except Item.DoesNotExist:
                return refusal(404, _("Question not found."))
            except Http404 as unknown:
                return refusal(404, str(unknown))
            except Outdated as newer:
                return refusal(409, str(newer), stored=receipts.serialize_stored(newer.item))
            except NotOpen as closed:
                return refusal(409, str(closed), results=resolve_url("quizzes:results", pk))

        return answer

    return decorate


def refusal(status: int, message: str, **more: object) -> JsonResponse:
    return JsonResponse({"error": message, **more}, status=status)


def or_404(own: Attempt | None) -> Attempt:
    if own is None:
        raise Http404(_("Attempt not found."))
    return own


def select_settings(
    choices: Sequence[EffectiveSettings], sitting: int | None
) -> EffectiveSettings | None:
    """Return the settings at this sitting, or at the only one if none is named.

    Raises:
        Http404: the sitting is not among the student's choices.
    """
    if sitting is None:
        return choices[0] if len(choices) == 1 else None
    for settings in choices:
        if settings.sitting.pk == sitting:
            return settings
    raise Http404(
        _("You can’t take this quiz there. Go back to the quiz and choose where to take it.")
    )


def limit_starts(request: HttpRequest) -> None:
    """Count a start of an attempt or of practice; pages that ask again by themselves count none.

    Raises:
        NotOpen: this student started more in a short time than anybody can work through.
    """
    if not is_within(request, "start_attempt", count=request.method == "POST"):
        raise NotOpen(
            _(
                "You’ve started many attempts in a short time. Wait ten minutes, "
                "then try again. Everything you’ve started is saved."
            )
        )


def no_such_quiz(request: HttpRequest, slug: str) -> HttpResponse:
    quizzes = {each.slug: each for each in open_quizzes()}
    meant = [quizzes[near] for near in get_close_matches(slug, quizzes, n=1)]
    context = {"slug": slug, "meant": meant, "quizzes": quizzes.values()}
    return render(request, "quizzes/delivery/not_found.html", context, status=404)
