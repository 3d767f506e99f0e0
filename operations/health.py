"""`/healthz`: does this process live? `/readyz`: can it serve, and is all behind it well?

Both answer in JSON, with 200 or 503. Only the database makes a web process unready: without the
broker or workers the site goes on taking answers, and taking it away from readers would make an
outage of a delay. `/readyz?strict` answers 503 for any of them, for whoever is called at night.
What was measured, and of which part, is for whoever may read the metrics.
"""

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse, JsonResponse

from operations import findings, metrics

ALIVE, READY = "/healthz", "/readyz"
BEHIND = (
    findings.static_files,
    findings.hosts,
    findings.sealed,
    findings.broker,
    findings.worker,
    findings.queue,
    findings.attention,
    findings.stock,
)
# A load balancer asks each second; other people's servers are not to hear of that.
AWAY = (findings.mail_server,)


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
    found = list(findings.looked_at(findings.database))
    serves = found[0].is_well
    if serves:  # the rest would only wait for what is away
        found += findings.looked_at(*BEHIND, *(AWAY if strict else ()))
    if not serves:
        status = "unready"
    else:
        status = "ok" if all(each.is_well for each in found) else "degraded"
    told: dict[str, object] = {"status": status}
    if in_detail:
        told["checks"] = {each.part: {"ok": each.is_well} | each.numbers for each in found}
    well = serves and (status == "ok" or not strict)
    return _answer(told, 200 if well else 503)


def _answer(told: dict, status: int) -> HttpResponse:
    return JsonResponse(told, status=status, headers={"Cache-Control": "no-store"})
