"""Middleware that logs and counts each request."""

import time
from collections.abc import Callable
from http import HTTPStatus

import structlog
from django.http import HttpRequest, HttpResponse
from django_structlog.middlewares import RequestMiddleware

from operations import metrics, visits


class RequestLog(RequestMiddleware):
    """django-structlog's middleware without database queries and query strings."""

    def handle_response(self, request: HttpRequest, response: HttpResponse) -> None:
        response["X-Request-ID"] = structlog.contextvars.get_contextvars()["request_id"]
        super().handle_response(request, response)

    @staticmethod
    def format_request(request: HttpRequest) -> str:
        return f"{request.method} {request.path}"

    @staticmethod
    def bind_user_id(request: HttpRequest) -> None:
        # Only if a view has loaded the user: the database may be away.
        if (user := getattr(request, "_cached_user", None)) is not None:
            structlog.contextvars.bind_contextvars(user_id=user.pk)


class RequestMetrics:
    """Middleware that counts requests, and serves the counts to clients that may read them."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if request.path == metrics.PATH and metrics.may_read(request):
            return HttpResponse(
                metrics.metrics_as_text(),
                content_type=metrics.CONTENT_TYPE,
                headers={"Cache-Control": "no-store"},
            )
        began = time.perf_counter()
        response = self.get_response(request)
        match = request.resolver_match
        if match:
            visits.record_admitted()
        elif response.status_code == HTTPStatus.BAD_REQUEST:
            visits.record_refused(request)
        metrics.count_request(
            match.view_name if match else "", response.status_code, time.perf_counter() - began
        )
        return response
