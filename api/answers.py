"""Every answer of the API: with an ETag to ask for it again by, or a problem document."""

import hashlib
from functools import cached_property
from http import HTTPStatus
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.utils.cache import get_conditional_response, patch_cache_control, patch_vary_headers
from django.utils.http import quote_etag
from ninja import NinjaAPI

from api import errors
from foundation.methods import allow_methods


class Api(NinjaAPI):
    """Answers that a program may keep, and ask for again by their ETag; problems as problems."""

    @property
    def urls(self) -> Any:
        patterns, app, namespace = super().urls
        for pattern in patterns:
            view = pattern.callback
            if pattern.name == "openapi-json":  # ninja's own answers whatever it is asked by
                view = allow_methods("GET")(view)
            pattern.callback = errors.as_problems(view)
        return patterns, app, namespace

    @cached_property
    def parameters(self) -> dict[tuple[str, str], set[str]]:
        """The parameters that each operation takes in its query, by method and address."""
        return {
            (method.upper(), path): {
                each["name"] for each in told_of.get("parameters", ()) if each["in"] == "query"
            }
            for path, methods in self.get_openapi_schema()["paths"].items()
            for method, told_of in methods.items()
        }

    def get_openapi_operation_id(self, operation: Any) -> str:
        return operation.view_func.__name__

    def get_openapi_schema(self, **_more: Any) -> Any:
        return self._schema

    @cached_property
    def _schema(self) -> Any:
        """Ninja's takes every answer for one of our own media type. Made once: it takes a while."""
        schema = super().get_openapi_schema()
        for methods in schema["paths"].values():
            for told_of in methods.values():
                for status, answer in told_of["responses"].items():
                    if int(status) >= HTTPStatus.BAD_REQUEST:
                        answer["content"] = {errors.MEDIA_TYPE: answer["content"].popitem()[1]}
        return schema

    def create_response(self, request: HttpRequest, data: Any, **more: Any) -> HttpResponse:
        answer = super().create_response(request, data, **more)
        patch_vary_headers(answer, ["Authorization"])
        if request.method != "GET" or answer.status_code != 200:
            patch_cache_control(answer, no_store=True)
            return answer
        patch_cache_control(answer, private=True, no_cache=True)
        answer["ETag"] = quote_etag(hashlib.sha256(answer.content).hexdigest()[:32])
        return get_conditional_response(request, etag=answer["ETag"], response=answer)
