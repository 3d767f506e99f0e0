"""Views: listing, creating, changing and removing overrides."""

from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from audit.queries import last_change
from classes.access.forms import ticked_keys
from classes.access.queries import CourseAccess, sections_of
from classes.access.views import access_required
from classes.assignments import presenters, queries
from classes.assignments.forms import ChangeOverrideForm, CreateOverrideForm, RemoveOverrideForm
from classes.assignments.services.exceptions import (
    change_override,
    create_overrides,
    remove_override,
)
from classes.assignments.views.assignments import add_outdated_error, change_message
from classes.errors import Outdated, Refused, Unreadable
from classes.models import Override
from classes.rosters import read_pasted
from foundation.filters import page_from_request
from foundation.lost_updates import rebase_form
from foundation.refusals import add_refusals_to

# Unknown addresses listed in a message.
MAX_NAMED = 20


@access_required("GET")
def exceptions(request: HttpRequest, access: CourseAccess) -> HttpResponse:
    """List the class's overrides."""
    page = page_from_request(request, queries.visible_overrides(access))
    lines = presenters.override_lines(page, access)
    context = {"access": access, "page": page, "exceptions": lines}
    return render(request, "classes/assignments/exceptions.html", context)


@access_required("GET", "POST", may="helps")
def make(request: HttpRequest, access: CourseAccess) -> HttpResponse:
    """Create overrides, for one assignment or the whole class."""
    form = CreateOverrideForm(
        request.POST or None,
        assignments=queries.assignments_of(access.course),
        labels=queries.visible_labels(access),
        sections=sections_of(access.course) if access.sees_all else (),
        initial={
            "assignment": request.GET.get("quiz"),
            "addresses": _ticked_addresses(request, access),
        },
    )
    if form.is_valid() and (members := _students(form, access)) is not None:
        cleaned = form.cleaned_data
        with add_refusals_to(form, Refused):
            made, changed = create_overrides(
                access=access,
                assignment=cleaned["assignment"],
                members=members,
                label=cleaned.get("label"),
                section=cleaned.get("section", ""),
                difference=form.difference,
                reason=cleaned["reason"],
            )
            words = ngettext("%(count)s exception saved.", "%(count)s exceptions saved.", len(made))
            saved = words % {"count": len(made)}
            messages.success(request, change_message(changed, saved))
            if cleaned["assignment"]:
                return redirect(cleaned["assignment"])
            return redirect("classes:exceptions", access.course.pk)
    return render(request, "classes/assignments/except.html", {"access": access, "form": form})


@access_required("GET", "POST", may="helps")
def change(request: HttpRequest, access: CourseAccess, override: int) -> HttpResponse:
    """Change an override."""
    kept = _get_override_or_404(access, override)
    rebased = rebase_form(ChangeOverrideForm(None, override=kept), request.POST)
    form = ChangeOverrideForm(rebased.data if rebased else request.POST or None, override=kept)
    if rebased:
        form.refuse(rebased, last_change(kept), by=request.user)
    elif form.is_valid():
        cleaned = form.cleaned_data
        with add_refusals_to(form, Outdated, Refused):
            changed = change_override(
                access=access,
                override=kept,
                difference=form.difference,
                version=kept.version,
                reason=cleaned["reason"],
                may_shorten=cleaned["may_shorten"],
            )
            messages.success(request, change_message(changed))
            return redirect("classes:exceptions", access.course.pk)
    return render(request, "classes/assignments/exception.html", _context(access, kept, form))


@access_required("GET", "POST", may="helps")
def remove(request: HttpRequest, access: CourseAccess, override: int) -> HttpResponse:
    """Ask for a reason, then remove an override."""
    kept = _get_override_or_404(access, override)
    form = RemoveOverrideForm(request.POST or None, initial={"version": kept.version})
    if form.is_valid():
        try:
            changed = remove_override(access=access, override=kept, **form.cleaned_data)
        except Outdated as refusal:
            add_outdated_error(form, refusal, _get_override_or_404(access, override).version)
        else:
            messages.success(request, change_message(changed))
            return redirect("classes:exceptions", access.course.pk)
    return render(
        request, "classes/assignments/exception_remove.html", _context(access, kept, form)
    )


def _get_override_or_404(access: CourseAccess, pk: int) -> Override:
    kept = queries.visible_overrides(access).filter(pk=pk).first()
    if kept is None:
        raise Http404(_("Exception not found. It may have been removed."))
    if not queries.can_change_override(access, kept):
        raise Http404(_("You can see only one section, and this exception covers more than that."))
    return kept


def _context(access: CourseAccess, kept: Override, form: Any) -> dict[str, Any]:
    line = presenters.override_lines([kept], access)[0]
    return {"access": access, "exception": line, "override": kept, "form": form}


def _ticked_addresses(request: HttpRequest, access: CourseAccess) -> str:
    """Return the addresses of members ticked in the list of people, one a line."""
    keys = ticked_keys(request.GET)
    chosen = access.members().filter(pk__in=keys).select_related("user") if keys else ()
    return "\n".join(member.address for member in chosen)


def _students(form: CreateOverrideForm, access: CourseAccess) -> list[int] | None:
    """Return the keys of members by their pasted addresses; None, with form errors, if any fail."""
    try:
        lines = read_pasted(form.cleaned_data["addresses"])
    except Unreadable as trouble:
        form.add_error("addresses", str(trouble))
        return None
    found = queries.students_by_address(access, [line.address for line in lines])
    unknown = [line.address for line in lines if line.address not in found]
    if unknown:
        words = ngettext(
            "No student here has this address: %(addresses)s.",
            "No students here have these addresses: %(addresses)s.",
            len(unknown),
        )
        named = ", ".join(unknown[:MAX_NAMED])
        if (more := len(unknown) - MAX_NAMED) > 0:
            named = _("%(addresses)s and %(count)s more") % {"addresses": named, "count": more}
        form.add_error("addresses", words % {"addresses": named})
        return None
    return [found[line.address].pk for line in lines]
