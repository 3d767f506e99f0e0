"""Every time on a page is in the zone of whoever reads it, where they have chosen one."""

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from django.utils.functional import SimpleLazyObject

from foundation.time_zones import names


class OwnTimeMiddleware:
    """After the one that knows who asks.

    Only who is looked at is asked for their zone: a page that is the same for everybody reads no
    session, and may be kept by any cache.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        known = request.user

        def in_own_time():
            zone = getattr(known, "time_zone", "")
            if zone in names():  # the machine may know fewer than it did
                timezone.activate(zone)
            return known

        request.user = SimpleLazyObject(in_own_time)
        try:
            return self.get_response(request)
        finally:
            timezone.deactivate()
