"""What is said when an answer could not be made."""

import sys

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.template import loader
from django.utils.translation import gettext as _
from django.views import defaults

from api import errors as api
from foundation.database import AWAY

RETRY = {"Retry-After": "10"}


def server_error(request: HttpRequest) -> HttpResponse:
    """503 where the database is away, full, read-only or too slow: trying again later may help.

    Otherwise Django's 500. Either page asks nothing of the database; a script is told in JSON.
    """
    if request.path.startswith("/api/v"):
        return api.broken(request)
    if isinstance(sys.exception(), AWAY):
        if not request.accepts("text/html"):
            sentence = _("This could not be saved. Try again in a moment.")
            return JsonResponse({"error": sentence}, status=503, headers=RETRY)
        page = loader.get_template("503.html").render()
        return HttpResponse(page, status=503, headers=RETRY)
    return defaults.server_error(request)
