"""View: one person in a class."""

from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.utils.translation import gettext as _

from classes.access.queries import CourseAccess, Role, visible_member
from classes.access.views import access_required
from classes.assignments.presenters import override_lines
from classes.gradebook.presenters.tables import person_lines
from classes.gradebook.queries import assignments_with_results, entries, gradebook_lines
from classes.history.presenters import event_lines
from classes.models import Membership
from classes.person.queries import attempts_by_sitting, events_about, letters_to, overrides_for
from classes.watching.queries import read_students

# Of events and of letters, the newest.
MAX_SHOWN = 20


@access_required("GET")
def person(request: HttpRequest, access: CourseAccess, member: int) -> HttpResponse:
    """Show a member's marks, exceptions, letters and events."""
    found = visible_member(access, [member])
    if found is None:
        raise Http404(_("Person not found in this class."))
    assignments = assignments_with_results(access)
    events = events_about(access.course, found)[: MAX_SHOWN + 1]
    context = {
        "access": access,
        "member": found,
        "exceptions": override_lines(overrides_for(access, found), access),
        "letters": letters_to(found, assignments)[:MAX_SHOWN],
        "events": event_lines(access.course, events[:MAX_SHOWN]),
        "more_events": len(events) > MAX_SHOWN,
    }
    if found.role == Role.STUDENT:
        context |= _marks(access, found, assignments)
    return render(request, "classes/person/person.html", context)


def _marks(access: CourseAccess, member: Membership, assignments: list[Any]) -> dict[str, Any]:
    """Return a student's line in the gradebook, quiz by quiz, with all attempts."""
    (student,) = read_students(access.members().filter(pk=member.pk))
    own = [student.user] if student.user else []
    found = entries(assignments, timezone.now(), own)
    (line,) = gradebook_lines(assignments, [student], found)
    sittings = [each.sitting_id for each in assignments]
    attempts = attempts_by_sitting(student.user, sittings) if student.user else {}
    return {"points": line, "lines": person_lines(assignments, line, attempts)}
