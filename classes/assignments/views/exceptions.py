"""Views: listing, creating, changing and removing overrides."""

from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from audit.queries import last_changed
from classes.access.forms import chosen_keys
from classes.access.queries import Seat
from classes.access.views import seated
from classes.assignments import presenters
from classes.assignments import queries as assignment_queries
from classes.assignments.forms import ChangeExceptionForm, ExceptForm, RemoveExceptionForm
from classes.assignments.services.exceptions import (
    change_exception,
    make_exceptions,
    remove_exception,
)
from classes.assignments.views.assignments import overtaken, what_became
from classes.errors import Outdated, Refused, Unreadable
from classes.models import Override
from classes.rosters import read_pasted
from foundation.filters import page_of
from foundation.lost_updates import on_top_of, who_saved
from foundation.refusals import refusals_at

# Unknown addresses listed in a message.
MOST_NAMED = 20


@seated("GET")
def exceptions(request: HttpRequest, seat: Seat) -> HttpResponse:
    """List the class's overrides."""
    page = page_of(request, assignment_queries.exceptions_of(seat))
    lines = presenters.exception_lines(page, seat)
    context = {"seat": seat, "page": page, "exceptions": lines}
    return render(request, "classes/assignments/exceptions.html", context)


@seated("GET", "POST", may="helps")
def make(request: HttpRequest, seat: Seat) -> HttpResponse:
    """Create overrides, for one assignment or the whole class."""
    form = ExceptForm(
        request.POST or None,
        assignments=assignment_queries.assignments_of(seat.course),
        labels=assignment_queries.labels_seen(seat),
        initial={"assignment": request.GET.get("quiz"), "addresses": _ticked(request, seat)},
    )
    if form.is_valid() and (members := _students(form, seat)) is not None:
        cleaned = form.cleaned_data
        with refusals_at(form, Refused):
            made, changed = make_exceptions(
                seat=seat,
                assignment=cleaned["assignment"],
                members=members,
                label=cleaned.get("label"),
                difference=form.difference,
                reason=cleaned["reason"],
            )
            words = ngettext("%(count)s exception saved.", "%(count)s exceptions saved.", len(made))
            messages.success(request, words % {"count": len(made)} + " " + what_became(changed))
            return redirect(cleaned["assignment"] or "classes:exceptions", *_of(seat, cleaned))
    return render(request, "classes/assignments/except.html", {"seat": seat, "form": form})


@seated("GET", "POST", may="helps")
def change(request: HttpRequest, seat: Seat, override: int) -> HttpResponse:
    """Change an override."""
    kept = _found(seat, override)
    rebased = on_top_of(ChangeExceptionForm(None, override=kept), request.POST)
    form = ChangeExceptionForm(rebased.data if rebased else request.POST or None, override=kept)
    if rebased:
        form.refuse(rebased, who_saved(last_changed(kept), since=rebased.since, by=request.user))
    elif form.is_valid():
        cleaned = form.cleaned_data
        with refusals_at(form, Outdated, Refused):
            changed = change_exception(
                seat=seat,
                override=kept,
                difference=form.difference,
                version=kept.version,
                reason=cleaned["reason"],
                may_shorten=cleaned["may_shorten"],
            )
            messages.success(request, what_became(changed))
            return redirect("classes:exceptions", seat.course.pk)
    return render(request, "classes/assignments/exception.html", _about(seat, kept, form))


@seated("GET", "POST", may="helps")
def remove(request: HttpRequest, seat: Seat, override: int) -> HttpResponse:
    """Ask for a reason, then remove an override."""
    kept = _found(seat, override)
    form = RemoveExceptionForm(request.POST or None, initial={"version": kept.version})
    if form.is_valid():
        try:
            changed = remove_exception(seat=seat, override=kept, **form.cleaned_data)
        except Outdated as refusal:
            overtaken(form, refusal, _found(seat, override).version)
        else:
            messages.success(request, what_became(changed))
            return redirect("classes:exceptions", seat.course.pk)
    return render(request, "classes/assignments/exception_remove.html", _about(seat, kept, form))


def _found(seat: Seat, pk: int) -> Override:
    kept = assignment_queries.exceptions_of(seat).filter(pk=pk).first()
    if kept is None:
        raise Http404(_("Exception not found. It may have been removed."))
    if not assignment_queries.may_change(seat, kept):
        raise Http404(_("You can see only one section, and this exception covers more than that."))
    return kept


def _about(seat: Seat, kept: Override, form: Any) -> dict[str, Any]:
    line = presenters.exception_lines([kept], seat)[0]
    return {"seat": seat, "exception": line, "override": kept, "form": form}


def _ticked(request: HttpRequest, seat: Seat) -> str:
    """Return the addresses of members ticked in the list of people, one a line."""
    keys = chosen_keys(request.GET)
    chosen = seat.members().filter(pk__in=keys).select_related("user") if keys else ()
    return "\n".join(member.address for member in chosen)


def _students(form: ExceptForm, seat: Seat) -> list[int] | None:
    """Return the keys of members by their pasted addresses; None, with form errors, if any fail."""
    try:
        lines = read_pasted(form.cleaned_data["addresses"])
    except Unreadable as trouble:
        form.add_error("addresses", str(trouble))
        return None
    found = assignment_queries.students_at(seat, [line.address for line in lines])
    unknown = [line.address for line in lines if line.address not in found]
    if unknown:
        words = ngettext(
            "No student here has this address: %(addresses)s.",
            "No students here have these addresses: %(addresses)s.",
            len(unknown),
        )
        named = ", ".join(unknown[:MOST_NAMED])
        if (more := len(unknown) - MOST_NAMED) > 0:
            named = _("%(addresses)s and %(count)s more") % {"addresses": named, "count": more}
        form.add_error("addresses", words % {"addresses": named})
        return None
    return [found[line.address].pk for line in lines]


def _of(seat: Seat, said: dict[str, Any]) -> tuple[int, ...]:
    return () if said["assignment"] else (seat.course.pk,)
