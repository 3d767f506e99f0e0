"""Services for staff's notes about a member."""

from django.db import transaction

from classes.access.queries import CourseAccess
from classes.models import MemberNote, Membership


@transaction.atomic
def write_note(*, access: CourseAccess, member: Membership, text: str) -> MemberNote:
    """Keep a note about a member. No event records it, as events are in the member's own data."""
    return MemberNote.objects.create(member=member, by=access.user, text=text)


@transaction.atomic
def remove_note(*, note: MemberNote) -> None:
    """Remove a note for good."""
    note.delete()
