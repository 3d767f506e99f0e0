"""Error handlers: 500, and 503 without a database."""

import sys

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.template import loader
from django.utils.translation import gettext as _
from django.views import defaults

from api import errors
from foundation.database import DATABASE_UNAVAILABLE

RETRY = {"Retry-After": "10"}


def server_error(request: HttpRequest) -> HttpResponse:
    """Return 503 if the database is away, full, read-only or too slow, so that clients retry.

    Otherwise return Django's 500. Neither page queries the database; a script gets JSON.
    """
    if request.path.startswith("/api/v"):
        return errors.server_error(request)
    if isinstance(sys.exception(), DATABASE_UNAVAILABLE):
        if not request.accepts("text/html"):
            sentence = _("This couldn’t be saved. Try again in a moment.")
            return JsonResponse({"error": sentence}, status=503, headers=RETRY)
        page = loader.get_template("503.html").render()
        return HttpResponse(page, status=503, headers=RETRY)
    return defaults.server_error(request)
