"""Views: copying a class to the next term."""

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _

from classes.access.queries import CourseAccess, can_create_course
from classes.access.views import access_required
from classes.assignments.queries import first_date
from classes.courses.forms.copying import CopyForm
from classes.courses.presenters import describe_move, moved_lines
from classes.courses.services.copying import copy_course, preview_copy
from classes.errors import Outdated, Refused
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
        try:
            if request.POST.get("do") == "copy":
                digest = request.POST.get("digest", "")
                made = copy_course(access=access, term=form.term, digest=digest)
                messages.success(request, _("The class has been created. Check each of its dates."))
                return redirect("classes:assignments", made.pk)
        except Outdated as refusal:
            messages.error(request, str(refusal))
        with add_refusals_to(form, Refused):
            preview = preview_copy(access=access, term=form.term)
            context |= {
                "term": form.term,
                "preview": preview,
                "moved_by": describe_move(form.term),
                "lines": moved_lines(preview.rows, form.term),
            }
            return render(request, "classes/courses/copy_preview.html", context)
    return render(request, "classes/courses/copy.html", context)
