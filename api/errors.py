"""Errors in one shape: problem details (RFC 9457), listing the invalid fields."""

from collections.abc import Callable, Iterable, Mapping
from functools import wraps
from http import HTTPStatus
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.utils.translation import gettext as _
from pydantic import BaseModel, Field

MEDIA_TYPE = "application/problem+json"
RETRY_AFTER_LIMIT = {"Retry-After": "60"}
RETRY_AFTER_OUTAGE = {"Retry-After": "10"}
BEARER = {"WWW-Authenticate": 'Bearer realm="Softmark"'}
_HEADERS = {401: BEARER, 429: RETRY_AFTER_LIMIT, 503: RETRY_AFTER_OUTAGE}


class FieldError(BaseModel):
    """An error in one field."""

    field: str = Field(description="The name as sent: limit, more_minutes, member_ids.0.")
    message: str


class Problem(BaseModel):
    """A problem document (RFC 9457)."""

    type: str = "about:blank"
    title: str = Field(description="The name of the status.")
    status: int
    detail: str = Field(description="A sentence for the program's author.")
    errors: list[FieldError] = Field(default=[], description="The fields to correct, if any.")


class ApiError(Exception):
    """An exception that is sent as a problem document."""

    def __init__(self, status: int, detail: str, /, **fields: str) -> None:
        super().__init__(detail)
        self.status, self.detail, self.fields = status, detail, fields


def problem_response(
    status: int,
    detail: str,
    errors: Iterable[Mapping[str, str]] = (),
    headers: Mapping[str, str] | None = None,
) -> JsonResponse:
    document = Problem(
        title=HTTPStatus(status).phrase, status=status, detail=detail, errors=list(errors)
    )
    more = {"Cache-Control": "no-store", **_HEADERS.get(status, {}), **(headers or {})}
    return JsonResponse(document.model_dump(), status=status, content_type=MEDIA_TYPE, headers=more)


def handle_api_error(request: HttpRequest, trouble: ApiError) -> JsonResponse:
    wrong = [{"field": name, "message": words} for name, words in trouble.fields.items()]
    return problem_response(trouble.status, trouble.detail, wrong)


def handle_validation_error(request: HttpRequest, trouble: Any) -> JsonResponse:
    """Return the validation errors as a problem, at most twenty fields of it."""
    wrong = [{"field": _field(each["loc"]), "message": each["msg"]} for each in trouble.errors[:20]]
    return problem_response(422, _("Some fields aren’t valid. See “errors”."), wrong)


def _field(where: tuple[str | int, ...]) -> str:
    """Return a field's name without its location, and without the parameter's name for a body."""
    return ".".join(map(str, where[2 if where[0] == "body" else 1 :])) or "body"


def handle_not_found(request: HttpRequest, _trouble: Any = None) -> JsonResponse:
    return problem_response(404, _("Not found, or this token has no access to it."))


def with_problem_responses(view: Callable[..., HttpResponse]) -> Callable[..., HttpResponse]:
    """Wrap a view so that its 404 and 405 are problems too, and HEAD is answered as GET."""

    @wraps(view)
    def answer(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        is_head = request.method == "HEAD"
        if is_head:
            # Answered as GET; the server leaves the body out.
            request.method = "GET"
        try:
            found = view(request, *args, **kwargs)
        except Http404:
            return handle_not_found(request)
        finally:
            if is_head:
                request.method = "HEAD"
        if found.status_code != HTTPStatus.METHOD_NOT_ALLOWED:
            return found
        allowed = set(found["Allow"].split(", "))
        allowed = ", ".join(sorted(allowed | ({"HEAD"} if "GET" in allowed else set())))
        words = _("This address only accepts %(methods)s.") % {"methods": allowed}
        return problem_response(found.status_code, words, headers={"Allow": allowed})

    return answer


def handle_malformed_body(request: HttpRequest, trouble: Any) -> JsonResponse:
    """Return the problem for a body that is not JSON."""
    return problem_response(trouble.status_code, _("The request body isn’t valid JSON."))


def server_error(request: HttpRequest) -> JsonResponse:
    message = _("Something went wrong on our side, and we’ve logged it. Try again later.")
    return problem_response(500, message)


def handle_database_unavailable(request: HttpRequest, _trouble: Any = None) -> JsonResponse:
    message = _("The database isn’t available at the moment. Try again in a minute.")
    return problem_response(503, message)
