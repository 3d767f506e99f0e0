"""Attempts that are seen from a seat in a class, those of earlier terms included.

This module is the provider that quizzes ask (`quizzes.visibility.register`).
"""

from typing import Any

from django.db.models import Exists, OuterRef, Q

from classes.access.queries import TEACHING, Role, State
from classes.models import Membership


def attempts_seen_by(user: Any) -> Q:
    """Return the condition that holds of attempts at what is given where this person has a seat.

    An assistant's section narrows it to the people of that section, as in `own_seat`.
    """
    of_section = Membership.objects.filter(
        course=OuterRef("course"),
        section=OuterRef("section"),
        user=OuterRef(OuterRef("student")),
    )
    seats = Membership.objects.filter(
        ~Q(role=Role.ASSISTANT) | Q(section="") | Exists(of_section),
        user=user,
        state=State.ACTIVE,
        role__in=TEACHING,
        course__assignments__sitting=OuterRef("sitting"),
    )
    return Q(Exists(seats))
