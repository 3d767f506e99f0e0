"""Helpers of the views of a class: access control, and loading an assignment."""

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache

from classes.access.queries import Seat, seat_of
from classes.models import Assignment
from foundation.methods import allow_methods


def seat_required(*methods: str, may: str = "") -> Callable[[Any], Callable[..., HttpResponse]]:
    """Decorate a view of a class so that it gets the user's seat; `may` names a required right.

    A user without a seat gets a 404, so that they do not even learn that the class exists.
    """

    def decorate(view: Callable[..., HttpResponse]) -> Callable[..., HttpResponse]:
        @never_cache
        @allow_methods(*methods)
        @login_required
        @wraps(view)
        def answer(request: HttpRequest, pk: int, **more: Any) -> HttpResponse:
            seat = seat_of(request.user, pk)
            if seat is None:
                raise Http404(_("You do not teach this class."))
            if may and not getattr(seat, may):
                raise PermissionDenied
            # Pages of a class show times in its own time zone.
            with timezone.override(seat.course.time_zone):
                return view(request, seat, **more)

        return answer

    return decorate


def get_assignment_or_404(seat: Seat, pk: int) -> Assignment:
    """Return an assignment of this class with its sitting, or raise Http404."""
    found = Assignment.objects.filter(course=seat.course, pk=pk)
    given = found.select_related("sitting__quiz__lesson").first()
    if given is None:
        raise Http404(_("Quiz not found in this class."))
    given.course = seat.course
    return given
