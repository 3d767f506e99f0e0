"""`/healthz`: does this process live? `/readyz`: can it serve, and is all behind it well?

Both answer in JSON, with 200 or 503. Only the database makes a web process unready: without the
broker or workers the site goes on taking answers, and taking it away from readers would make an
outage of a delay. `/readyz?strict` answers 503 for any of them, for whoever is called at night.
What was measured, and of which part, is for whoever may read the metrics.
"""

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse, JsonResponse

from operations import metrics
from operations.checks import Severity, looked_at

ALIVE, READY = "/healthz", "/readyz"


class HealthMiddleware:
    """Answers health checks before hosts, TLS and sessions are looked at."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if request.path == ALIVE:
            return _answer({"status": "ok"}, 200)
        if request.path == READY:
            return readiness(strict="strict" in request.GET, in_detail=metrics.may_read(request))
        return self.get_response(request)


def readiness(*, strict: bool, in_detail: bool) -> HttpResponse:
    """Return all parts in a word, ok, degraded or unready; in detail, also what was measured."""
    found = {}
    trouble = set()
    for check, finding in looked_at(elsewhere=strict):
        found[check.key] = {"ok": finding.is_well} | finding.numbers
        if not finding.is_well:
            trouble.add(check.severity)
        if Severity.UNREADY in trouble:
            break  # the rest would only wait for what is away
    status = next((each for each in Severity if each in trouble), Severity.ADVICE)
    told = {"status": status} | ({"checks": found} if in_detail else {})
    serves = status == "ok" or (status == "degraded" and not strict)
    return _answer(told, 200 if serves else 503)


def _answer(told: dict, status: int) -> HttpResponse:
    return JsonResponse(told, status=status, headers={"Cache-Control": "no-store"})
