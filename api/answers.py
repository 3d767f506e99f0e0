"""The API object: its answers carry an ETag, its errors are problem documents."""

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
    """A NinjaAPI whose answers a client may cache and revalidate by their ETag."""

    @property
    def urls(self) -> Any:
        patterns, app, namespace = super().urls
        for pattern in patterns:
            view = pattern.callback
            if pattern.name == "openapi-json":  # ninja's own view answers any method
                view = allow_methods("GET")(view)
            pattern.callback = errors.with_problem_responses(view)
        return patterns, app, namespace

    @cached_property
    def parameters(self) -> dict[tuple[str, str], set[str]]:
        """The query parameters of each operation, by method and path."""
        return {
            (method.upper(), path): {
                each["name"] for each in described.get("parameters", ()) if each["in"] == "query"
            }
            for path, methods in self.get_openapi_schema()["paths"].items()
            for method, described in methods.items()
        }

    def get_openapi_operation_id(self, operation: Any) -> str:
        return operation.view_func.__name__

    def get_openapi_schema(self, **_more: Any) -> Any:
        return self._schema

    @cached_property
    def _schema(self) -> Any:
        """The OpenAPI schema, with errors as problem documents. Built once, since it is slow."""
        schema = super().get_openapi_schema()
        for methods in schema["paths"].values():
            for described in methods.values():
                for status, answer in described["responses"].items():
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
