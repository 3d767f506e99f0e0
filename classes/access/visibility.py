"""Attempts visible to the staff of classes, earlier terms included.

This module is a provider registered with `quizzes.visibility`.
"""

from typing import Any

from django.db.models import Exists, OuterRef, Q

from classes.access.queries import STAFF_ROLES, Role, State
from classes.models import Membership


def attempts_seen_by(user: Any) -> Q:
    """Return the condition on attempts at assignments of classes of which the user is staff.

    An assistant's section limits it to the students of that section, as in `own_access`.
    """
    of_section = Membership.objects.filter(
        course=OuterRef("course"), section=OuterRef("section"), user=OuterRef(OuterRef("student"))
    )
    of_staff = Membership.objects.filter(
        ~Q(role=Role.ASSISTANT) | Q(section="") | Exists(of_section),
        user=user,
        state=State.ACTIVE,
        role__in=STAFF_ROLES,
        course__assignments__sitting=OuterRef("sitting"),
    )
    return Q(Exists(of_staff))
