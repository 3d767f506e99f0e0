"""Personal data in classes: memberships, overrides, notes, the calendar and unconfirmed lists."""

from typing import Any

from django.contrib.auth.models import AbstractBaseUser

from audit.changes import field_values
from classes.assignments.services.exceptions import FIELDS
from classes.models import Calendar, MemberNote, Membership, Override, RosterImport
from classes.people.letters import invitations_to
from classes.people.services.importing import delete_personal_data
from foundation.personal_data import PersonalData


def export_personal_data(student: AbstractBaseUser) -> dict[str, Any]:
    """Return the student's memberships, overrides, calendar and unconfirmed lists.

    Of notes about others only when they were written; what staff noted about the student stays
    with staff.
    """
    places = Membership.objects.filter(user=student).select_related("course")
    lists = RosterImport.objects.filter(by=student).order_by("pk")
    return {
        "classes": [
            {
                "class": place.course.title,
                "role": place.role,
                "section": place.section,
                "labels": [label.text for label in place.labels.all()],
                "state": place.state,
                "joined_at": place.joined_at,
                "from_canvas": place.platform,
            }
            for place in places.prefetch_related("labels").order_by("pk")
        ],
        "exceptions": [
            {
                "class": override.course.title,
                "quiz": override.assignment and str(override.assignment),
                **field_values(override, *FIELDS, "reason"),
            }
            for override in Override.objects.filter(member__user=student)
            .select_related("course", "assignment__sitting__quiz")
            .order_by("pk")
        ],
        "invitations": list(
            invitations_to(places.values_list("pk", flat=True))
            .order_by("pk")
            .values("sent_at", "address", "subject", "text")
        ),
        "notes_written": list(
            MemberNote.objects.filter(by=student)
            .order_by("pk")
            .values("member__course__title", "written_at")
        ),
        "calendar": list(Calendar.objects.filter(user=student).values("made_at")),
        "lists_brought": list(lists.values("course__title", "source", "created_at")),
    }


HOLDING = PersonalData(
    export_personal_data,
    delete_personal_data,
    forgotten=frozenset({"classes.Calendar.user", "classes.RosterImport.by"}),
    kept={
        "classes.Membership.user": "marks stay in their class, without a name",
        "classes.MemberNote.by": "notes about others stay with their class, without a name",
    },
)
