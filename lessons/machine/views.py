"""Views: the machine's page."""

from http import HTTPStatus

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _

from attention_core.machine.words import VOCABULARY
from foundation.methods import allow_methods
from foundation.rate_limits import is_within
from lessons.machine.forms import EXAMPLES, MachineForm
from lessons.machine.presenters import reading_context


@allow_methods("GET")
def machine(request: HttpRequest) -> HttpResponse:
    """Show the machine's reading of the sentence in the URL, or of the first example."""
    form = MachineForm(request.GET.dict())
    context = {"form": form, "examples": EXAMPLES, "vocabulary": sorted(VOCABULARY[1:])}
    status = HTTPStatus.OK
    if not is_within(request, "ask_machine"):
        context["refusal"] = _(
            "You’ve sent many sentences in a short time. Wait a minute, then try again."
        )
        status = HTTPStatus.TOO_MANY_REQUESTS
    elif form.is_valid():
        context["shown"] = reading_context(form.tokens, form.cleaned_data)
    else:
        status = HTTPStatus.BAD_REQUEST
    return render(request, "lessons/machine.html", context, status=status)
