"""Views: learners ask the real model to read a sentence, and see the result."""

from http import HTTPStatus
from typing import Any

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.template.loader import render_to_string
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_exempt

from foundation.methods import allow_methods
from foundation.rate_limits import is_within
from lessons.models import Sentence
from lessons.real_model.encoder import is_installed
from lessons.sentences import services, tasks
from lessons.widgets.live_sentence import reading_html


# The form is on pages that are the same for everybody, so it cannot contain a CSRF token. A request
# changes nobody's data, and other sites' forms are refused.
@csrf_exempt
@allow_methods("GET", "POST")
def ask(request: HttpRequest) -> HttpResponse:
    """Ask the model to read a sentence; without one, show only the form."""
    text = services.normalize(request.POST.get("text", ""))
    if request.method != "POST":
        return _form(request, text)
    if request.headers.get("Sec-Fetch-Site", "same-origin") not in ("same-origin", "none"):
        return _form(
            request,
            text,
            _("This sentence was sent from another site. Send it again from this page."),
        )
    if not is_installed():
        return _form(request, text)
    row = services.finished_sentence(text)
    if row is None:
        if not is_within(request, "ask_for_sentence"):
            words = _("You’ve sent many sentences in a short time. Wait a minute, then try again.")
            return _form(request, text, words, HTTPStatus.TOO_MANY_REQUESTS)
        try:
            row = services.request_reading(text=text)
        except services.Unreadable:
            return _form(request, text, _too_long() if text else _("Enter a sentence first."))
        tasks.reading_notifier.wake_after_commit()
    return _state(row) if _for_script(request) else redirect(row)


@allow_methods("GET")
@never_cache
def sentence(request: HttpRequest, key: str) -> HttpResponse:
    """Show the model's reading of a sentence, or that it still waits."""
    row = get_object_or_404(Sentence, key=key)
    if row.state == Sentence.State.WAITING:
        tasks.reading_notifier.wake_again()
    if _for_script(request):
        return _state(row)
    return _page(request, {"sentence": row, "text": row.text, "result": _result(row)})


def _for_script(request: HttpRequest) -> bool:
    return request.headers.get("Accept") == "application/json"


def _state(row: Sentence) -> JsonResponse:
    answer = {"state": row.state, "url": row.get_absolute_url(), "html": _result(row)}
    return JsonResponse(answer, headers={"Cache-Control": "no-store"})


def _result(row: Sentence) -> str:
    """Return the current state of the sentence as HTML."""
    if row.state == Sentence.State.READ:
        return reading_html(row.result)
    message = {
        Sentence.State.WAITING: _(
            "The model is reading it. This usually takes less than a second."
        ),
        Sentence.State.TOO_LONG: f"{_cut_into(row.result.get('tokens', 0))} {_too_long()}",
        Sentence.State.FAILED: _(
            "The model couldn’t read this. That’s our fault. Try again later, or try "
            "another sentence."
        ),
    }
    return render_to_string(
        "lessons/_sentence_message.html", {"message": message[Sentence.State(row.state)]}
    )


def _cut_into(tokens: int) -> str:
    words = ngettext(
        "The model splits this into %(tokens)s piece.",
        "The model splits this into %(tokens)s pieces.",
        tokens,
    )
    return words % {"tokens": tokens}


def _too_long() -> str:
    return _("It can read at most %(most)s. Leave some words out.") % {"most": services.MAX_TOKENS}


def _form(
    request: HttpRequest, text: str, trouble: str = "", status: int = HTTPStatus.OK
) -> HttpResponse:
    if trouble and status == HTTPStatus.OK:
        status = HTTPStatus.BAD_REQUEST
    if _for_script(request):
        message = trouble or _("This site has no model installed, so it can’t read sentences.")
        html = render_to_string("lessons/_sentence_message.html", {"message": message})
        return JsonResponse({"state": "refused", "html": html}, status=status)
    return _page(request, {"text": text[: services.MAX_LENGTH], "trouble": trouble}, status)


def _page(
    request: HttpRequest, context: dict[str, Any], status: int = HTTPStatus.OK
) -> HttpResponse:
    context |= {"installed": is_installed()}
    return render(request, "lessons/sentence.html", context, status=status)
