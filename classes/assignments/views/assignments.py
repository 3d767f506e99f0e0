"""Views: listing, creating, changing, releasing and withdrawing assignments."""

from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from audit.queries import last_change
from classes.access.forms import ReasonForm
from classes.access.queries import CourseAccess, headcount
from classes.access.views import access_required
from classes.assignments import presenters, queries
from classes.assignments.effective_settings import overrides_of_course
from classes.assignments.forms import AssignForm, ChangeRulesForm
from classes.assignments.services import assigning
from classes.errors import Outdated, Refused
from classes.models import Assignment
from foundation.filters import page_from_request
from foundation.lost_updates import rebase_form
from foundation.refusals import add_refusals_to
from quizzes.delivery.services.deadlines import DeadlineChanges
from quizzes.notifiers import stocking_notifier


@access_required("GET")
def overview(request: HttpRequest, access: CourseAccess) -> HttpResponse:
    """Lead from a class's address to the page it opens with."""
    return redirect(access.course)


@access_required("GET")
def assignments(request: HttpRequest, access: CourseAccess) -> HttpResponse:
    """List the class's assignments, with their progress."""
    now = timezone.now()
    found = list(queries.assignments_of(access.course))
    found.sort(key=lambda each: each.sitting.has_closed_for_all(now))  # those that run come first
    page = page_from_request(request, found)
    progress = queries.progress_at(access, found)
    needs = queries.needs_of(access, found, now)
    context = {
        "access": access,
        "needs": presenters.need_lines(needs, found, progress, access),
        "latest": presenters.latest_chart(queries.latest_marks(access, found, now)),
        "page": page,
        "lines": presenters.assignment_lines(page, progress, now),
        "students": headcount(access)["students"],
    }
    return render(request, "classes/assignments/assignments.html", context)


@access_required("GET", "POST", may="runs")
def assign(request: HttpRequest, access: CourseAccess) -> HttpResponse:
    """Assign a quiz to the class."""
    form = AssignForm(
        request.POST or None,
        quizzes=queries.assignable_quizzes(request.user),
        may_open=_may_open(request),
    )
    if form.is_valid():
        with add_refusals_to(form, Refused):
            assignment = assigning.assign(
                access=access,
                quiz=form.cleaned_data["quiz"],
                rules=form.rules,
                open_to_all=form.is_open_to_all,
            )
            stocking_notifier.wake()
            messages.success(request, _("The quiz has been assigned to the class."))
            return redirect(assignment)
    return render(request, "classes/assignments/assign.html", {"access": access, "form": form})


@access_required("GET")
def assignment(request: HttpRequest, access: CourseAccess, assignment_id: int) -> HttpResponse:
    """Show an assignment with its rules, its progress and its overrides."""
    assignment = get_assignment_or_404(access, assignment_id)
    overrides = queries.visible_overrides(access, assignment)
    exceptions = page_from_request(request, overrides)
    context = {
        "access": access,
        "assignment": assignment,
        "line": presenters.assignment_lines(
            [assignment], queries.progress_at(access, [assignment]), timezone.now()
        )[0],
        "rules": presenters.rule_lines(assignment),
        "headcount": headcount(access),
        "page": exceptions,
        "exceptions": presenters.override_lines(exceptions, access),
    }
    return render(request, "classes/assignments/assignment.html", context)


@access_required("GET", "POST", may="runs")
def rules(request: HttpRequest, access: CourseAccess, assignment_id: int) -> HttpResponse:
    """Change the rules. Running attempts only gain time, unless asked otherwise."""
    assignment = get_assignment_or_404(access, assignment_id)
    now = {"assignment": assignment, "may_open": _may_open(request)}
    rebased = rebase_form(ChangeRulesForm(None, **now), request.POST)
    form = ChangeRulesForm(rebased.data if rebased else request.POST or None, **now)
    if rebased:
        form.refuse(rebased, last_change(assignment), by=request.user)
    elif form.is_valid():
        with add_refusals_to(form, Outdated, Refused):
            changed = assigning.change_assignment(
                access=access,
                assignment=assignment,
                rules=form.rules,
                version=assignment.version,
                open_to_all=form.is_open_to_all,
                may_shorten=form.cleaned_data["may_shorten"],
            )
            stocking_notifier.wake()
            messages.success(request, change_message(changed))
            return redirect(assignment)
    context = {"access": access, "assignment": assignment, "form": form}
    return render(request, "classes/assignments/rules.html", context)


@access_required("GET", "POST", may="runs")
def release(request: HttpRequest, access: CourseAccess, assignment_id: int) -> HttpResponse:
    """Ask for confirmation, then release the marks to the class or hide them."""
    assignment = get_assignment_or_404(access, assignment_id)
    if request.method == "POST":
        released = request.POST.get("to") == "release"
        assigning.release_results(access=access, assignment=assignment, released=released)
        return redirect(assignment)
    missing = queries.still_to_take(access, assignment)
    context = {"access": access, "assignment": assignment, "still_to_take": missing}
    return render(request, "classes/assignments/release.html", context)


@access_required("GET", "POST", may="runs")
def withdraw(request: HttpRequest, access: CourseAccess, assignment_id: int) -> HttpResponse:
    """Ask for a reason, then withdraw an assignment that nobody has begun."""
    assignment = get_assignment_or_404(access, assignment_id)
    form = ReasonForm(request.POST or None)
    if form.is_valid():
        try:
            assigning.withdraw(access=access, assignment=assignment, **form.cleaned_data)
        except Refused as refusal:
            messages.error(request, str(refusal))
            return redirect(assignment)
        messages.success(request, _("The quiz has been withdrawn from the class."))
        return redirect("classes:assignments", access.course.pk)
    context = {"access": access, "assignment": assignment, "form": form}
    return render(request, "classes/assignments/withdraw.html", context)


@access_required("GET")
def member_settings(
    request: HttpRequest, access: CourseAccess, assignment_id: int, member: int
) -> HttpResponse:
    """Show a student's effective settings at an assignment, and where they come from."""
    assignment = get_assignment_or_404(access, assignment_id)
    student = queries.visible_student(access, member)
    if student is None:
        raise Http404(_("Student not found."))
    chain = overrides_of_course(access.course).chain(assignment, student)
    context = {
        "access": access,
        "assignment": assignment,
        "member": student,
        "lines": presenters.resolved_lines(chain),
    }
    return render(request, "classes/assignments/applies.html", context)


def get_assignment_or_404(access: CourseAccess, pk: int) -> Assignment:
    """Return an assignment of this class.

    Raises:
        Http404: the class has none with this key.
    """
    assignment = queries.assignment_of(access, pk)
    if assignment is None:
        raise Http404(_("This quiz isn’t assigned to this class."))
    return assignment


def add_outdated_error(form: Any, refusal: Outdated, version: int) -> None:
    """Add the refusal to the form, keep what was typed, and set the version to save against."""
    form.add_error(None, str(refusal))
    form.data = form.data.copy()
    form.data["version"] = version


def change_message(changed: DeadlineChanges, saved: str = "") -> str:
    """Return a message on the effect of a change on running attempts, after what was saved."""
    words = [saved or _("Saved.")]
    if changed.changed:
        words.append(
            ngettext(
                "The end time of %(count)s attempt in progress has changed.",
                "The end times of %(count)s attempts in progress have changed.",
                changed.changed,
            )
            % {"count": changed.changed}
        )
    if changed.kept:
        words.append(
            ngettext(
                "%(count)s attempt in progress keeps its current, longer time.",
                "%(count)s attempts in progress keep their current, longer time.",
                changed.kept,
            )
            % {"count": changed.kept}
        )
    return " ".join(words)


def _may_open(request: HttpRequest) -> bool:
    """Return whether the user may open quizzes to independent learners, beyond the class."""
    return request.user.has_perm("quizzes.change_quiz")
