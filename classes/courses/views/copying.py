"""Views: copying a class to the next term."""

from collections.abc import Sequence

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _

from classes.access.queries import CourseAccess, can_create_course
from classes.access.views import access_required
from classes.assignments.queries import first_date
from classes.courses.forms.copying import CopyForm, MovedDatesForm
from classes.courses.moving import MovedDates
from classes.courses.presenters import describe_move, moved_lines
from classes.courses.services.copying import NextTerm, copy_course, preview_copy
from classes.errors import Outdated, Refused
from classes.models import Course
from foundation.refusals import add_refusals_to


@access_required("GET", "POST", may="runs")
def copy(request: HttpRequest, access: CourseAccess) -> HttpResponse:
    """Ask for title and dates, preview the moved dates, then create the class."""
    if not can_create_course(request.user):
        raise PermissionDenied
    form = CopyForm(
        request.POST or None, course=access.course, first_date=first_date(access.course)
    )
    context = {"access": access, "form": form}
    if form.is_valid() and request.POST.get("do") != "change":
        with add_refusals_to(form, Refused):
            preview = preview_copy(access=access, term=form.term)
            # Dates are typed in the new class's zone.
            with timezone.override(form.term.time_zone):
                made, dates = _copied(request, access, form.term, preview.rows)
                if made:
                    return redirect("classes:assignments", made.pk)
                context |= {
                    "term": form.term,
                    "preview": preview,
                    "moved_by": describe_move(form.term),
                    "dates": dates,
                    "lines": moved_lines(preview.rows, form.term, access.course, dates),
                }
                return render(request, "classes/courses/copy_preview.html", context)
    return render(request, "classes/courses/copy.html", context)


def _copied(
    request: HttpRequest, access: CourseAccess, term: NextTerm, rows: Sequence[MovedDates]
) -> tuple[Course | None, MovedDatesForm]:
    """Return the new class, if it is wanted and nothing is wrong, and the form with its dates."""
    if request.POST.get("do") != "copy":
        return None, MovedDatesForm(None, rows=rows)
    dates = MovedDatesForm(request.POST, rows=rows)
    made, digest = None, request.POST.get("digest", "")
    try:
        if dates.is_valid():
            with add_refusals_to(dates, Refused):
                made = copy_course(access=access, term=term, digest=digest, dates=dates.edited)
                messages.success(request, _("The class has been created. Check each of its dates."))
    except Outdated as refusal:
        messages.error(request, str(refusal))
        dates = MovedDatesForm(None, rows=rows)
    return made, dates
