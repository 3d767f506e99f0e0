"""Services for joining a class by its code or by an invited address."""

from typing import Any

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from classes.access.queries import addresses_of
from classes.access.services import Role, State, lock_course, record_member_event
from classes.assignments import letters
from classes.assignments.services.settling import apply_settings
from classes.errors import Refused
from classes.models import Course, Membership
from classes.people.services.sorting import set_sorting


class WrongCode(Refused):
    """Raised if no class has the code."""


def course_to_join(code: str) -> Course:
    """Return the class with this code.

    Raises:
        WrongCode: there is none.
        Refused: the class cannot be joined by code.
    """
    course = Course.objects.filter(code=code).first() if code else None
    if course is None:
        raise WrongCode(_("No class has this code. Check it, or ask your instructor."))
    if not course.code_open or course.archived:
        raise Refused(
            _("This class can’t be joined with a code at the moment. Ask your instructor.")
        )
    return course


@transaction.atomic
def join(*, user: Any, code: str) -> Membership:
    """Make the user a student of the class with this code; an active member keeps their role.

    Raises:
        WrongCode, Refused: see `course_to_join`; Refused also if the person was removed.
    """
    course = lock_course(course_to_join(code))
    course_to_join(course.code)  # check again, now that the class is locked
    if course.code != code:
        raise WrongCode(
            _("The code for this class has changed. Ask your instructor for the new one.")
        )
    member = Membership.objects.filter(course=course, user=user).first()
    if member is None:
        member = Membership.objects.create(course=course, user=user)
        record_member_event(user, "joined", member)
        letters.post_to_new_members(course, [user.pk])
    elif member.state == State.REMOVED:
        raise Refused(
            _("You were removed from this class. If you want to join again, ask your instructor.")
        )
    elif member.state == State.LEFT:
        member.state, member.joined_at = State.ACTIVE, timezone.now()
        # Former members return as students: a code makes nobody an assistant.
        member.role = Role.STUDENT
        member.save(update_fields=["state", "joined_at", "role"])
        record_member_event(user, "joined", member)
        letters.post_to_new_members(course, [user.pk])
    apply_settings(course)  # a returning member may have overrides
    return member


def claim_invitations(*, user: Any) -> list[Membership]:
    """Accept the invitations to the user's addresses. Return the places in the classes joined."""
    addresses = addresses_of(user)
    invited = Membership.objects.filter(email__in=addresses, state=State.INVITED)
    courses = Course.objects.filter(pk__in=list(invited.values_list("course", flat=True)))
    claimed = [_claim(course, user, addresses) for course in courses] if addresses else []
    return [place for place in claimed if place]


@transaction.atomic
def _claim(course: Course, user: Any, addresses: set[str]) -> Membership | None:
    """Return the place that an invitation gave back or made, or None if it changed none."""
    course = lock_course(course)
    own = Membership.objects.filter(course=course, user=user).first()
    claimed = None
    waiting = Membership.objects.filter(course=course, email__in=addresses, state=State.INVITED)
    for invited in waiting.order_by("pk"):
        if own is None:
            own = invited
            set_sorting({user.pk: invited.sorts_as})
            own.user, own.email, own.name, own.sorts_as = user, "", "", ""
            own.state, own.joined_at = State.ACTIVE, timezone.now()
            own.save()
            record_member_event(user, "claimed", own)
            letters.post_to_new_members(course, [user.pk])
            claimed = own
        else:
            # Already a member: their role stays, and they get the invitation's labels and, where
            # they have none of their own, its exceptions.
            own.labels.add(*invited.labels.all())
            _move_overrides(invited, own)
            invited.notes.update(member=own)
            own.platform = own.platform or invited.platform
            if own.state == State.LEFT:
                # The invitation is newer than the place, so its role and section are right.
                own.role, own.section = invited.role, invited.section
                own.state, own.joined_at = State.ACTIVE, timezone.now()
                record_member_event(user, "claimed", own)
                letters.post_to_new_members(course, [user.pk])
                claimed = own
            own.save()
            invited.delete()
    apply_settings(course)
    return claimed


def _move_overrides(invited: Membership, own: Membership) -> None:
    settled = set(own.overrides.values_list("assignment", flat=True))
    for override in invited.overrides.all():
        if override.assignment_id not in settled:
            override.member = own
            override.save(update_fields=["member"])
