"""Middleware for response headers beyond Django's own; it also fixes the requests' encoding."""

from collections.abc import Callable

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.utils.cache import patch_cache_control

# The site uses none of these features, so injected code must not either.
_NEVER_ASKED_FOR = (
    *("accelerometer", "camera", "display-capture", "geolocation", "gyroscope"),
    *(
        "hid",
        "magnetometer",
        "microphone",
        "midi",
        "payment",
        "serial",
        "usb",
        "xr-spatial-tracking",
    ),
)
PERMISSIONS = ", ".join(f"{name}=()" for name in _NEVER_ASKED_FOR)
# Personal pages, which other users of the same browser must not find in its cache.
_OWN = (*("/accounts/", "/admin/", "/attempts/", "/calendar/"), *("/classes/", "/join/", "/teach/"))


class HeadersMiddleware:
    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        # All pages are UTF-8, so a browser never sends anything else.
        request.encoding = "utf-8"
        answer = self.get_response(request)
        answer.headers.setdefault("Permissions-Policy", PERMISSIONS)
        answer.headers.setdefault("Cross-Origin-Resource-Policy", "same-origin")
        if settings.SESSION_COOKIE_NAME in request.COOKIES and "Cache-Control" not in answer:
            if request.path.startswith(_OWN):
                patch_cache_control(answer, private=True, no_store=True)
            else:  # the browser may keep it, but revalidates each time
                patch_cache_control(answer, private=True, no_cache=True)
        return answer
