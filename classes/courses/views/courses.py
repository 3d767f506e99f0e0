"""Views: listing and creating classes, their settings, archive and joining code."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.timezone import get_current_timezone_name
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache

from audit.queries import last_change
from classes.access.queries import (
    CourseAccess,
    can_create_course,
    courses_of_others,
    courses_taught,
)
from classes.access.views import access_required
from classes.courses import extensions
from classes.courses.forms.courses import CourseForm, SettingsForm
from classes.courses.presenters import zone_lines
from classes.courses.queries import course_facts
from classes.courses.services import courses
from classes.courses.services.zones import ChoiceRequired, preview_zone
from classes.errors import Outdated
from foundation.filters import page_from_request
from foundation.lost_updates import rebase_form
from foundation.methods import allow_methods
from quizzes.reports.queries import count_open_site_reports


@never_cache
@allow_methods("GET")
@login_required
def mine(request: HttpRequest) -> HttpResponse:
    """List the classes the user teaches, helps or observes; for administrators, also the others."""
    taught = page_from_request(request, courses_taught(request.user))
    others = page_from_request(request, courses_of_others(request.user))
    shown = [place.course_id for place in taught] + [course.pk for course in others]
    facts = course_facts(shown, timezone.now())
    context = {
        "places": [(place.course, place, facts[place.course_id]) for place in taught],
        "others": [(course, None, facts[course.pk]) for course in others],
        "page": max(taught, others, key=lambda page: page.paginator.num_pages),
        "may_create": can_create_course(request.user),
        # Only administrators see independent learners.
        "reports": count_open_site_reports(request.user) if request.user.is_superuser else None,
        "added": extensions.templates(),
    }
    return render(request, "classes/courses/mine.html", context)


@never_cache
@allow_methods("GET", "POST")
@login_required
def create(request: HttpRequest) -> HttpResponse:
    """Create a class."""
    if not can_create_course(request.user):
        raise PermissionDenied
    form = CourseForm(request.POST or None, initial={"time_zone": get_current_timezone_name()})
    if form.is_valid():
        made = courses.create_course(by=request.user, **form.cleaned_data)
        messages.success(request, _("The class has been created. Now add people."))
        return redirect("classes:joining", made.pk)
    return render(request, "classes/courses/create.html", {"form": form})


@access_required("GET", "POST", may="runs")
def settings(request: HttpRequest, access: CourseAccess) -> HttpResponse:
    """Change the class's settings."""
    rebased = rebase_form(SettingsForm(instance=access.course), request.POST)
    was = courses.settings_of(access.course)
    form = SettingsForm(rebased.data if rebased else request.POST or None, instance=access.course)
    if rebased:
        form.refuse(rebased, last_change(access.course), by=request.user)
    elif form.is_valid():
        typed = {name: form.cleaned_data[name] for name in was}
        choice = {name: request.POST.get(name, "") for name in ("keep", "digest")}
        try:
            courses.change_course(course=access.course, by=request.user, was=was, **typed, **choice)
        except (ChoiceRequired, Outdated) as refusal:
            if choice["keep"]:
                messages.error(request, str(refusal))
            return _render_zone_choice(request, access, form)
        messages.success(request, _("Saved."))
        return redirect("classes:settings", access.course.pk)
    if form.errors:
        access.course.refresh_from_db()  # its title is shown above the form
    may_create = can_create_course(request.user)
    context = {"access": access, "form": form, "may_create": may_create}
    return render(request, "classes/courses/settings.html", context)


def _render_zone_choice(
    request: HttpRequest, access: CourseAccess, form: CourseForm
) -> HttpResponse:
    """Show the dates another time zone would move, and the choice what they keep."""
    zone = form.cleaned_data["time_zone"]
    access.course.refresh_from_db()  # its title is shown above, and its zone is the old one
    change = preview_zone(access.course, access.course.time_zone, zone)
    context = {
        "access": access,
        "form": form,
        "zone": zone,
        "digest": change.digest,
        "lines": zone_lines(change, access.course.time_zone, zone),
    }
    return render(request, "classes/courses/zone.html", context)


@access_required("GET", "POST", may="runs")
def archive(request: HttpRequest, access: CourseAccess) -> HttpResponse:
    """Ask for confirmation, then archive the class or restore it."""
    if request.method == "POST":
        archived = not access.course.archived
        if request.POST.get("to") == ("archive" if archived else "fetch"):
            courses.archive_course(course=access.course, by=request.user, archived=archived)
        return redirect("classes:settings", access.course.pk)
    return render(request, "classes/courses/archive.html", {"access": access})


@access_required("GET", "POST")
def joining(request: HttpRequest, access: CourseAccess) -> HttpResponse:
    """Show the joining code and link; on POST, turn the code on or off or renew it."""
    course = access.course
    if request.method == "POST":
        if not access.runs:
            raise PermissionDenied
        wanted = request.POST.get("code")
        if wanted in ("open", "close"):
            courses.set_code_open(course=course, by=request.user, is_open=wanted == "open")
        elif wanted == "new":
            courses.renew_code(course=course, by=request.user)
            messages.success(request, _("The class has a new code. The old one no longer works."))
        return redirect("classes:joining", course.pk)
    link = request.build_absolute_uri(reverse("classes:join", args=[course.code]))
    where = request.build_absolute_uri(reverse("classes:enter"))
    return render(
        request, "classes/courses/joining.html", {"access": access, "link": link, "where": where}
    )
