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
from classes.access.queries import Seat, headcount
from classes.access.views import seat_required
from classes.assignments import presenters
from classes.assignments import queries as assignment_queries
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


@seat_required("GET")
def assignments(request: HttpRequest, seat: Seat) -> HttpResponse:
    """List the class's assignments, with their progress."""
    page = page_from_request(request, assignment_queries.assignments_of(seat.course))
    now = timezone.now()
    context = {
        "seat": seat,
        "page": page,
        "lines": presenters.assignment_lines(page, assignment_queries.progress_at(seat, page), now),
        "students": headcount(seat)["students"],
    }
    return render(request, "classes/assignments/assignments.html", context)


@seat_required("GET", "POST", may="runs")
def assign(request: HttpRequest, seat: Seat) -> HttpResponse:
    """Assign a quiz to the class."""
    form = AssignForm(
        request.POST or None,
        quizzes=assignment_queries.assignable_quizzes(request.user),
        may_open=_may_open(request),
    )
    if form.is_valid():
        with add_refusals_to(form, Refused):
            given = assigning.assign(
                seat=seat,
                quiz=form.cleaned_data["quiz"],
                rules=form.rules,
                open_to_all=form.is_open_to_all,
            )
            stocking_notifier.wake()
            messages.success(request, _("The quiz has been assigned to the class."))
            return redirect(given)
    return render(request, "classes/assignments/assign.html", {"seat": seat, "form": form})


@seat_required("GET")
def assignment(request: HttpRequest, seat: Seat, assignment: int) -> HttpResponse:
    """Show an assignment with its rules, its progress and its overrides."""
    given = get_assignment_or_404(seat, assignment)
    exceptions = page_from_request(request, assignment_queries.visible_overrides(seat, given))
    context = {
        "seat": seat,
        "assignment": given,
        "line": presenters.assignment_lines(
            [given], assignment_queries.progress_at(seat, [given]), timezone.now()
        )[0],
        "rules": presenters.rule_lines(given),
        "students": headcount(seat)["students"],
        "page": exceptions,
        "exceptions": presenters.override_lines(exceptions, seat),
    }
    return render(request, "classes/assignments/assignment.html", context)


@seat_required("GET", "POST", may="runs")
def rules(request: HttpRequest, seat: Seat, assignment: int) -> HttpResponse:
    """Change the rules. Running attempts only gain time, unless asked otherwise."""
    given = get_assignment_or_404(seat, assignment)
    now = {"assignment": given, "may_open": _may_open(request)}
    rebased = rebase_form(ChangeRulesForm(None, **now), request.POST)
    form = ChangeRulesForm(rebased.data if rebased else request.POST or None, **now)
    if rebased:
        form.refuse(rebased, last_change(given), by=request.user)
    elif form.is_valid():
        with add_refusals_to(form, Outdated, Refused):
            changed = assigning.change_assignment(
                seat=seat,
                assignment=given,
                rules=form.rules,
                version=given.version,
                open_to_all=form.is_open_to_all,
                may_shorten=form.cleaned_data["may_shorten"],
            )
            stocking_notifier.wake()
            messages.success(request, change_message(changed))
            return redirect(given)
    return render(
        request, "classes/assignments/rules.html", {"seat": seat, "assignment": given, "form": form}
    )


@seat_required("GET", "POST", may="runs")
def release(request: HttpRequest, seat: Seat, assignment: int) -> HttpResponse:
    """Ask for confirmation, then release the marks to the class or hide them."""
    given = get_assignment_or_404(seat, assignment)
    if request.method == "POST":
        released = request.POST.get("to") == "release"
        assigning.release_results(seat=seat, assignment=given, released=released)
        return redirect(given)
    return render(request, "classes/assignments/release.html", {"seat": seat, "assignment": given})


@seat_required("GET", "POST", may="runs")
def withdraw(request: HttpRequest, seat: Seat, assignment: int) -> HttpResponse:
    """Ask for a reason, then withdraw an assignment that nobody has begun."""
    given = get_assignment_or_404(seat, assignment)
    form = ReasonForm(request.POST or None)
    if form.is_valid():
        try:
            assigning.withdraw(seat=seat, assignment=given, reason=form.cleaned_data["reason"])
        except Refused as refusal:
            messages.error(request, str(refusal))
            return redirect(given)
        messages.success(request, _("The quiz has been withdrawn from the class."))
        return redirect("classes:assignments", seat.course.pk)
    context = {"seat": seat, "assignment": given, "form": form}
    return render(request, "classes/assignments/withdraw.html", context)


@seat_required("GET")
def member_settings(request: HttpRequest, seat: Seat, assignment: int, member: int) -> HttpResponse:
    """Show a student's effective settings at an assignment, and where they come from."""
    given = get_assignment_or_404(seat, assignment)
    student = assignment_queries.visible_student(seat, member)
    if student is None:
        raise Http404(_("Student not found."))
    chain = overrides_of_course(seat.course).chain(given, student)
    context = {
        "seat": seat,
        "assignment": given,
        "member": student,
        "lines": presenters.resolved_lines(chain),
    }
    return render(request, "classes/assignments/applies.html", context)


def get_assignment_or_404(seat: Seat, pk: int) -> Assignment:
    """Return an assignment of this class.

    Raises:
        Http404: the class has none with this key.
    """
    given = assignment_queries.assignment_of(seat, pk)
    if given is None:
        raise Http404(_("This quiz is not assigned to this class."))
    return given


def add_outdated_error(form: Any, refusal: Outdated, version: int) -> None:
    """Add the refusal to the form, keep what was typed, and set the version to save against."""
    form.add_error(None, f"{refusal} " + _("Check the current values. Saving again replaces them."))
    form.data = form.data.copy()
    form.data["version"] = version


def change_message(changed: DeadlineChanges) -> str:
    """Return a message on the effect of a change on running attempts."""
    words = [_("Saved.")]
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
