"""Health checks: `/healthz` for the process alone, `/readyz` for everything it depends on.

Both answer in JSON, with 200 or 503. Only the database makes a web process unready: without the
broker or workers the site goes on taking answers, and taking it offline would turn a delay into an
outage. `/readyz?strict` answers 503 for any failed check, to alert an operator. Which part failed,
and what was measured, is shown only to clients that may read the metrics.
"""

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse, JsonResponse

from operations import metrics
from operations.checks import Severity, run_checks

ALIVE, READY = "/healthz", "/readyz"


class HealthMiddleware:
    """Middleware that answers health checks before hosts, TLS and sessions are looked at."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if request.path == ALIVE:
            return _answer({"status": "ok"}, 200)
        if request.path == READY:
            return readiness(strict="strict" in request.GET, in_detail=metrics.may_read(request))
        return self.get_response(request)


def readiness(*, strict: bool, in_detail: bool) -> HttpResponse:
    """Return the site's state: ok, degraded or unready; in detail, also all findings."""
    found = {}
    trouble = set()
    for check, finding in run_checks(elsewhere=strict):
        found[check.key] = {"ok": finding.is_ok} | finding.numbers
        if not finding.is_ok:
            trouble.add(check.severity)
        if Severity.UNREADY in trouble:
            break  # the rest would only wait for what is away
    status = next((each for each in Severity if each in trouble), Severity.ADVICE)
    body = {"status": status} | ({"checks": found} if in_detail else {})
    serves = status == "ok" or (status == "degraded" and not strict)
    return _answer(body, 200 if serves else 503)


def _answer(body: dict, status: int) -> HttpResponse:
    return JsonResponse(body, status=status, headers={"Cache-Control": "no-store"})
