"""What every answer tells browsers beyond Django's own headers, and how its pages are read."""

from collections.abc import Callable

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.utils.cache import patch_cache_control

# Nothing here asks for any of them, so nothing that slips in may.
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
# What others who use the same browser must not find in it.
_OWN = (
    *("/accounts/", "/admin/", "/attempts/", "/calendar/"),
    *("/classes/", "/join/", "/teach/"),
)


class HeadersMiddleware:
    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        # All pages are UTF-8, so whatever else a request says of its text is no browser's.
        request.encoding = "utf-8"
        answer = self.get_response(request)
        answer.headers.setdefault("Permissions-Policy", PERMISSIONS)
        answer.headers.setdefault("Cross-Origin-Resource-Policy", "same-origin")
        if settings.SESSION_COOKIE_NAME in request.COOKIES and "Cache-Control" not in answer:
            if request.path.startswith(_OWN):
                patch_cache_control(answer, private=True, no_store=True)
            else:  # the browser may keep what it asks for again each time
                patch_cache_control(answer, private=True, no_cache=True)
        return answer
