"""Service that writes to people who are invited and have no account yet."""

from collections.abc import Collection

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from classes.access.queries import CourseAccess
from classes.access.services import lock_course, record_course_event
from classes.errors import Refused
from classes.people.letters import post_invitations
from classes.people.queries.people import unwritten_invitations


@transaction.atomic
def write_to_invited(*, access: CourseAccess, keys: Collection[int] | None = None) -> int:
    """Post a letter to the invited people, or to these, who were sent none. Return their number.

    Raises:
        Refused: the user may not add people.
    """
    if not access.runs:
        raise Refused(_("Only instructors can add people."))
    lock_course(access.course)
    found = unwritten_invitations(access)
    members = list(
        (found if keys is None else found.filter(pk__in=keys)).values_list("pk", flat=True)
    )
    if members:
        post_invitations(members, access.user)
        found.filter(pk__in=members).update(written_at=timezone.now())
        after = {"count": len(members)}
        record_course_event(access, "roster.written", access.course, after=after)
    return len(members)
