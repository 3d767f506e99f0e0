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

from classes.access.queries import CourseAccess, access_of
from classes.models import Assignment
from foundation.methods import allow_methods


def access_required(*methods: str, may: str = "") -> Callable[[Any], Callable[..., HttpResponse]]:
    """Decorate a view of a class so that it gets the user's access; `may` names a required right.

    A user without access gets a 404, so that they do not even learn that the class exists.
    """

    def decorate(view: Callable[..., HttpResponse]) -> Callable[..., HttpResponse]:
        @never_cache
        @allow_methods(*methods)
        @login_required
        @wraps(view)
        def answer(request: HttpRequest, pk: int, **more: Any) -> HttpResponse:
            access = access_of(request.user, pk)
            if access is None:
                raise Http404(_("You don’t teach this class."))
            if may and not getattr(access, may):
                raise PermissionDenied
            # Pages of a class show times in its own time zone.
            with timezone.override(access.course.time_zone):
                return view(request, access, **more)

        return answer

    return decorate


def get_assignment_or_404(access: CourseAccess, pk: int) -> Assignment:
    """Return an assignment of this class with its sitting, or raise Http404."""
    found = Assignment.objects.filter(course=access.course, pk=pk)
    assignment = found.select_related("sitting__quiz__lesson").first()
    if assignment is None:
        raise Http404(_("Quiz not found in this class."))
    assignment.course = access.course
    return assignment
