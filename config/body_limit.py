"""Middleware that refuses large request bodies before a byte of them is read."""

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

# Below what Django would write to the disk (FILE_UPLOAD_MAX_MEMORY_SIZE), far above any answer.
MAX_BYTES = 1024 * 1024
# For images and lessons, which only staff upload; their forms limit the size of each.
MAX_STAFF_BYTES = 42 * 1024 * 1024
# For lists of people, which teachers upload: large enough to report that a list is too long.
MAX_LIST_BYTES = 10 * 1024 * 1024


class BodyLimitMiddleware:
    """Middleware that refuses large bodies. It needs the user, because staff may send more."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        # Without a length Django reads no body at all.
        length = request.META.get("CONTENT_LENGTH") or "0"
        size = int(length) if length.isdecimal() and len(length) < 16 else MAX_STAFF_BYTES + 1
        if size > MAX_BYTES and size > self._most(request):
            return render(request, "413.html", status=413)
        return self.get_response(request)

    @staticmethod
    def _most(request: HttpRequest) -> int:
        if request.path.startswith("/admin/") and request.user.is_staff:
            return MAX_STAFF_BYTES
        if request.path.startswith("/teach/") and request.user.is_authenticated:
            return MAX_LIST_BYTES
        return MAX_BYTES
