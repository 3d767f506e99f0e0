"""What is said when an answer could not be made."""

import sys

from django.db import InterfaceError, OperationalError
from django.http import HttpRequest, HttpResponse
from django.template import loader
from django.views import defaults


def server_error(request: HttpRequest) -> HttpResponse:
    """503 where the database is away, full or read-only: trying again later may help.

    Otherwise Django's 500. Either page asks nothing of the database.
    """
    if isinstance(sys.exception(), OperationalError | InterfaceError):
        page = loader.get_template("503.html").render()
        return HttpResponse(page, status=503, headers={"Retry-After": "10"})
    return defaults.server_error(request)
