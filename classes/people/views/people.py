"""Views: listing, changing, removing and restoring members."""

from collections.abc import Callable
from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import ngettext, ngettext_lazy

from classes.access.forms import ReasonForm, ticked_keys
from classes.access.queries import CURRENT_STATES, CourseAccess, headcount, labels_of, sections_of
from classes.access.views import access_required
from classes.errors import Refused
from classes.models import Membership
from classes.people.forms import ChangeForm, PeopleFilter
from classes.people.queries.people import ORDERS, chosen_people, unwritten_invitations
from classes.people.services.people import change_members, remove_members, restore_members
from foundation.filters import page_from_request
from foundation.refusals import add_refusals_to


@access_required("GET")
def people(request: HttpRequest, access: CourseAccess) -> HttpResponse:
    """List the members of the class that match the filter."""
    wanted = PeopleFilter(request.GET, access)
    context = {
        "access": access,
        "filter": wanted,
        "page": page_from_request(request, chosen_people(access, wanted.choice)),
        "headcount": headcount(access),
        "unwritten": unwritten_invitations(access).count() if access.runs else 0,
    }
    return render(request, "classes/people/people.html", context)


@access_required("GET", "POST", may="helps")
def change(request: HttpRequest, access: CourseAccess) -> HttpResponse:
    """Change role, section and labels of the ticked members."""
    chosen = _ticked_members(request, access)
    if not chosen:
        return _redirect_unticked(request, access)
    labels = labels_of(access.course)
    form = ChangeForm(
        request.POST or None, access=access, sections=sections_of(access.course), labels=labels
    )
    if form.is_valid():
        with add_refusals_to(form, Refused):
            count = change_members(
                access=access,
                keys=[member.pk for member in chosen],
                change=form.change,
                reason=form.cleaned_data["reason"],
            )
            words = ngettext("%(count)s person changed.", "%(count)s people changed.", count)
            messages.success(request, words % {"count": count})
            return redirect("classes:people", access.course.pk)
    return render(
        request, "classes/people/change.html", {"access": access, "form": form, "chosen": chosen}
    )


@access_required("GET", "POST", may="helps")
def remove(request: HttpRequest, access: CourseAccess) -> HttpResponse:
    """Ask for a reason, then remove the ticked members from the class."""
    chosen = [
        member for member in _ticked_members(request, access) if member.state in CURRENT_STATES
    ]
    done = ngettext_lazy("%(count)s person removed.", "%(count)s people removed.", "count")
    return _confirm(request, access, chosen, remove_members, "classes/people/remove.html", done)


@access_required("GET", "POST", may="helps")
def restore(request: HttpRequest, access: CourseAccess) -> HttpResponse:
    """Ask for a reason, then restore the ticked members who had left or were removed."""
    chosen = [
        member for member in _ticked_members(request, access) if member.state not in CURRENT_STATES
    ]
    done = ngettext_lazy("%(count)s person restored.", "%(count)s people restored.", "count")
    return _confirm(request, access, chosen, restore_members, "classes/people/restore.html", done)


def _confirm(
    request: HttpRequest,
    access: CourseAccess,
    chosen: list[Membership],
    deed: Callable[..., int],
    template: str,
    done: Any,
) -> HttpResponse:
    if not chosen:
        return _redirect_unticked(request, access)
    form = ReasonForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        keys = [member.pk for member in chosen]
        try:
            count = deed(access=access, keys=keys, reason=form.cleaned_data["reason"])
        except Refused as refusal:
            messages.error(request, str(refusal))
        else:
            messages.success(request, done % {"count": count})
        return redirect("classes:people", access.course.pk)
    return render(request, template, {"access": access, "form": form, "chosen": chosen})


def _ticked_members(request: HttpRequest, access: CourseAccess) -> list[Membership]:
    """Return the ticked members the user may change, or raise Http404 if one is not visible."""
    sent: Any = request.POST if request.method == "POST" else request.GET
    keys = ticked_keys(sent)
    found = access.members().filter(pk__in=keys).select_related("user").prefetch_related("labels")
    seen = list(found.order_by(*ORDERS[""], "pk"))
    if len(seen) < len({*keys}):
        raise Http404(
            _(
                "Someone you selected isn’t in this class or isn’t in your section. Check your"
                " selection."
            )
        )
    may = set(access.may_change().filter(pk__in=keys).values_list("pk", flat=True))
    return [member for member in seen if member.pk in may]


def _redirect_unticked(request: HttpRequest, access: CourseAccess) -> HttpResponse:
    messages.info(request, _("Select some people first."))
    return redirect("classes:people", access.course.pk)
