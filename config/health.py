"""`/healthz`: can this process answer, and reach its database?"""

from collections.abc import Callable

from django.db import DatabaseError, connection
from django.http import HttpRequest, HttpResponse

PATH = "/healthz"


class HealthMiddleware:
    """Answers health checks before hosts, TLS and sessions are looked at.

    The broker is left out on purpose: without it the site goes on taking answers.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        return check() if request.path == PATH else self.get_response(request)


def check() -> HttpResponse:
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
    except DatabaseError:
        return HttpResponse("database unreachable\n", content_type="text/plain", status=503)
    return HttpResponse("ok\n", content_type="text/plain")
