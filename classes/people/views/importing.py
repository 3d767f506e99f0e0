"""Views: adding many people from pasted text or a file, with a preview."""

from dataclasses import replace
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _

from classes.access.forms import ticked_keys
from classes.access.queries import CourseAccess
from classes.access.views import access_required
from classes.errors import Outdated, Refused, Unreadable
from classes.models import Membership
from classes.people.forms import PasteForm, UploadForm
from classes.people.letters import render_invitation
from classes.people.presenters import (
    encoding_note,
    imported_message,
    outcome_counts,
    preview_line,
    problem_groups,
    written_message,
)
from classes.people.queries.people import unconfirmed_import, unwritten_invitations
from classes.people.services.importing import (
    apply_import,
    discard_import,
    keep_import,
    plan_kept_import,
)
from classes.people.services.inviting import write_to_invited
from classes.roster_files import old_encoding
from classes.rosters import ImportAction, read_file, read_pasted, split_labels
from foundation.filters import page_from_request
from foundation.refusals import add_refusals_to

LINES_ON_A_PAGE = 200
LINES_OF_A_PROBLEM = 50
MAX_ABSENT = 500
# The value of `sections` by which the list's sections replace those that members have.
REPLACE = "replace"


@access_required("GET", "POST", may="runs")
def paste(request: HttpRequest, access: CourseAccess) -> HttpResponse:
    """Keep pasted addresses, then show the preview."""
    form = PasteForm(request.POST or None)
    if form.is_valid():
        cleaned = form.cleaned_data
        labels = split_labels(cleaned["labels"])
        with add_refusals_to(form, Unreadable, field="addresses"):
            lines = read_pasted(cleaned["addresses"])
            lines = [replace(line, section=cleaned["section"], labels=labels) for line in lines]
            keep_import(access=access, lines=lines, role=cleaned["role"])
            return redirect("classes:preview", access.course.pk)
    return render(request, "classes/people/paste.html", _context(access, form))


@access_required("GET", "POST", may="runs")
def upload(request: HttpRequest, access: CourseAccess) -> HttpResponse:
    """Keep the lines of an uploaded file, then show the preview."""
    form = UploadForm(request.POST or None, request.FILES or None)
    if form.is_valid():
        file = form.cleaned_data["file"]
        with add_refusals_to(form, Unreadable, field="file"):
            content = file.read()
            lines = read_file(content, domain=form.cleaned_data["domain"])
            if note := encoding_note(old_encoding(content), lines):
                messages.warning(request, note)
            role = Membership.Role.STUDENT
            keep_import(access=access, lines=lines, role=role, source=file.name)
            return redirect("classes:preview", access.course.pk)
    return render(request, "classes/people/upload.html", _context(access, form))


@access_required("GET", "POST", may="runs")
def preview(request: HttpRequest, access: CourseAccess) -> HttpResponse:
    """Show what importing the kept list would do; on POST, apply or discard it."""
    kept = unconfirmed_import(access)
    if kept is None:
        return redirect("classes:upload", access.course.pk)
    if "put_aside" in request.POST:  # its name on pages opened before an upgrade too
        discard_import(kept=kept)
        return redirect("classes:people", access.course.pk)
    replaces = (request.POST or request.GET).get("sections") == REPLACE
    if request.method == "POST":
        try:
            plan, written = apply_import(
                kept=kept,
                access=access,
                digest=request.POST.get("digest", ""),
                remove=ticked_keys(request.POST, "remove"),
                write="write" in request.POST,
                replaces=replaces,
            )
        except (Outdated, Refused) as refusal:
            messages.error(request, str(refusal))
            again = reverse("classes:preview", args=[access.course.pk])
            return redirect(f"{again}?sections={REPLACE}" if replaces else again)
        messages.success(request, imported_message(plan.invited, written))
        return redirect("classes:people", access.course.pk)
    plan = plan_kept_import(kept, replaces=replaces)
    chosen = request.GET.get("outcome", "")
    # Lines with a problem are listed above the others.
    shown = [
        each
        for each in plan.lines
        if (each.outcome == chosen if chosen else each.outcome != ImportAction.REFUSED)
    ]
    page = page_from_request(request, shown, LINES_ON_A_PAGE)
    context = {
        "access": access,
        "kept": kept,
        "counts": outcome_counts(plan.counts),
        "outcome": chosen,
        "problems": [] if chosen else problem_groups(plan.lines, LINES_OF_A_PROBLEM),
        "lines": [preview_line(each) for each in page],
        "page": page,
        "digest": plan.digest,
        "invited": plan.invited,
        "elsewhere": plan.elsewhere,
        "replaces": replaces,
        "changes": len(plan.lines)
        - plan.counts[ImportAction.THERE]
        - plan.counts[ImportAction.REFUSED],
        "absent": plan.absent[:MAX_ABSENT] if kept.source else (),
        "more_absent": max(0, len(plan.absent) - MAX_ABSENT) if kept.source else 0,
    }
    return render(request, "classes/people/preview.html", context)


@access_required("GET", "POST", may="runs")
def write(request: HttpRequest, access: CourseAccess) -> HttpResponse:
    """Show the letter to those invited who were sent none, then post it to them."""
    if request.method == "POST":
        messages.success(request, written_message(write_to_invited(access=access)))
        return redirect("classes:people", access.course.pk)
    page = page_from_request(request, unwritten_invitations(access).select_related("course"))
    if not page.object_list:
        messages.info(request, _("Everyone who’s invited has been emailed."))
        return redirect("classes:people", access.course.pk)
    context = {"access": access, "page": page, "letter": render_invitation(page[0], request.user)}
    return render(request, "classes/people/write.html", context)


def _context(access: CourseAccess, form: PasteForm | UploadForm) -> dict[str, Any]:
    return {"access": access, "form": form, "waiting": unconfirmed_import(access)}
