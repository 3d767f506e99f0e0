"""Views: one person in a class, and staff's notes about them."""

from typing import Any

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _

from classes.access.queries import CourseAccess, Role, visible_member
from classes.access.views import access_required
from classes.assignments.presenters import override_lines
from classes.gradebook.presenters.tables import person_lines
from classes.gradebook.queries import assignments_with_results, entries, gradebook_lines
from classes.history.presenters import event_lines
from classes.models import Membership
from classes.person.forms import NoteForm
from classes.person.presenters import letter_lines
from classes.person.queries import (
    attempts_by_sitting,
    events_about,
    letters_to,
    notes_about,
    overrides_for,
    shared_letters,
)
from classes.person.services import remove_note, write_note
from classes.watching.queries import read_students

# Of events and of letters, the newest.
MAX_SHOWN = 20


@access_required("GET", "POST")
def person(request: HttpRequest, access: CourseAccess, member: int) -> HttpResponse:
    """Show a member's marks, exceptions, letters, notes and events. A POST adds a note."""
    found = _get_member_or_404(access, member)
    may_write = access.helps and found.user_id != access.user.pk
    if request.method == "POST" and not may_write:
        raise PermissionDenied
    form = NoteForm(request.POST or None)
    if form.is_valid():
        write_note(access=access, member=found, text=form.cleaned_data["text"])
        messages.success(request, _("Note saved."))
        return redirect("classes:person", access.course.pk, found.pk)
    assignments = assignments_with_results(access)
    letters = letters_to(found, assignments)
    events = events_about(access.course, found)[: MAX_SHOWN + 1]
    context = {
        "access": access,
        "member": found,
        "exceptions": override_lines(overrides_for(access, found), access),
        "letters": letter_lines(letters[:MAX_SHOWN], shared_letters(letters)),
        "notes": notes_about(access, found),
        "form": form if may_write else None,
        "events": event_lines(access.course, events[:MAX_SHOWN]),
        "more_events": len(events) > MAX_SHOWN,
    }
    if found.role == Role.STUDENT:
        context |= _marks(access, found, assignments)
    return render(request, "classes/person/person.html", context)


@access_required("GET", "POST", may="helps")
def end_note(request: HttpRequest, access: CourseAccess, member: int, note: int) -> HttpResponse:
    """Ask, then remove a note: one's own or, for an instructor, anybody's."""
    found = _get_member_or_404(access, member)
    kept = notes_about(access, found).filter(pk=note, is_own=True).first()
    if kept is None:
        raise Http404(_("Note not found. It may have been removed, or someone else wrote it."))
    if request.method == "POST":
        remove_note(note=kept)
        messages.success(request, _("Note removed."))
        return redirect("classes:person", access.course.pk, found.pk)
    context = {"access": access, "member": found, "note": kept}
    return render(request, "classes/person/end_note.html", context)


def _get_member_or_404(access: CourseAccess, key: int) -> Membership:
    found = visible_member(access, [key])
    if found is None:
        raise Http404(_("Person not found in this class."))
    return found


def _marks(access: CourseAccess, member: Membership, assignments: list[Any]) -> dict[str, Any]:
    """Return a student's line in the gradebook, quiz by quiz, with all attempts."""
    (student,) = read_students(access.members().filter(pk=member.pk))
    own = [student.user] if student.user else []
    found = entries(assignments, timezone.now(), own)
    (line,) = gradebook_lines(assignments, [student], found)
    sittings = [each.sitting_id for each in assignments]
    attempts = attempts_by_sitting(student.user, sittings) if student.user else {}
    return {"points": line, "lines": person_lines(assignments, line, attempts)}
