"""HTTP methods that a view accepts, and conditional GETs.

Other methods are refused before the CSRF token is checked.
"""

from collections.abc import Callable, Iterable
from functools import wraps
from hashlib import blake2b

from django.http import HttpRequest, HttpResponse
from django.middleware.http import ConditionalGetMiddleware
from django.shortcuts import render
from django.utils.decorators import decorator_from_middleware

SAFE = ("GET", "HEAD")
PAGE_METHODS = (*SAFE, "POST")
View = Callable[..., HttpResponse]


def allow_methods(*methods: str) -> Callable[[View], View]:
    """Return a decorator: the view accepts these methods only, and HEAD wherever it accepts GET."""
    allowed = {*methods, *(SAFE if "GET" in methods else ())}

    def decorate(view: View) -> View:
        @wraps(view)
        def answer(request: HttpRequest, *args: object, **kwargs: object) -> HttpResponse:
            if request.method not in allowed:
                return method_not_allowed(request, allowed)
            return view(request, *args, **kwargs)

        answer.takes = allowed  # type: ignore[attr-defined]
        # Never set to False: it would be copied over the csrf_exempt of a decorator around this.
        if "POST" not in methods:
            answer.csrf_exempt = True  # type: ignore[attr-defined]
        return answer

    return decorate


class _ConditionalPage(ConditionalGetMiddleware):
    def process_response(self, request: HttpRequest, response: HttpResponse) -> HttpResponse:
        if "CSRF_COOKIE_NEEDS_UPDATE" in request.META:  # a form has asked for a token
            return response
        # Django's own MD5 took a tenth of the time that a lesson's page takes in all.
        response["ETag"] = f'"{blake2b(response.content, digest_size=16).hexdigest()}"'
        return super().process_response(request, response)


# Like Django's, except for pages with a form: the token, and so the page, differs each time.
conditional_page = decorator_from_middleware(_ConditionalPage)


def method_not_allowed(request: HttpRequest, allowed: Iterable[str]) -> HttpResponse:
    """Return a 405 page."""
    answer = render(request, "405.html", status=405)
    answer["Allow"] = ", ".join(sorted(allowed))
    return answer


class MethodsMiddleware:
    """Middleware that refuses methods no page accepts, before the CSRF token is checked.

    Views of Django and allauth answer a PUT as a POST, or any method as a GET. API endpoints accept
    more methods, and refuse the rest with problem documents.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        return self.get_response(request)

    def process_view(self, request: HttpRequest, view: View, *_more: object) -> HttpResponse | None:
        match = request.resolver_match
        if request.method in PAGE_METHODS or (match and match.namespace.startswith("api")):
            return None
        return method_not_allowed(request, getattr(view, "takes", PAGE_METHODS))
