"""Middleware that shows times in the time zone the reader has chosen."""

from collections.abc import Callable
from zoneinfo import ZoneInfo

from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from django.utils.functional import SimpleLazyObject

from design.moments import reader_zone
from foundation.time_zones import names


class OwnTimeMiddleware:
    """Activate the user's time zone. Belongs after AuthenticationMiddleware.

    The zone is read only when a page reads the user: a page that is the same for everybody reads
    no session, and any cache may keep it.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        known = request.user

        def in_own_time():
            zone = getattr(known, "time_zone", "")
            if zone in names():  # the machine may know fewer zones than before
                timezone.activate(zone)
                reader_zone.set(ZoneInfo(zone))
            return known

        request.user = SimpleLazyObject(in_own_time)
        try:
            return self.get_response(request)
        finally:
            timezone.deactivate()
            reader_zone.set(None)
