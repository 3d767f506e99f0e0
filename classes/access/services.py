"""Helpers of all services: locking a class, recording events, labels and sections."""

from collections.abc import Iterable
from typing import Any

from django.db.models import Model
from django.utils.translation import gettext as _

from audit.services import record
from classes.access.queries import CourseAccess, sections_of
from classes.errors import Refused
from classes.models import Course, Label, Membership
from foundation.names import tidy_name

Role, State = Membership.Role, Membership.State


def lock_course(course: Course) -> Course:
    """Lock and return the class, so that nobody else changes it or its members meanwhile."""
    return Course.objects.select_for_update().get(pk=course.pk)


def record_member_event(by: Any, verb: str, member: Membership, **details: Any) -> None:
    """Record an event about a member, without name or address."""
    record(
        actor=by,
        verb=f"classes.member.{verb}",
        target=member,
        person=member.user if member.user_id else None,
        scope=member.course.scope,
        **details,
    )


def record_course_event(access: CourseAccess, deed: str, target: Model, **details: Any) -> None:
    """Record an event in the class by the user."""
    scope = access.course.scope
    record(actor=access.user, verb=f"classes.{deed}", target=target, scope=scope, **details)


def member_values(member: Membership) -> dict[str, Any]:
    """Return the values of a member that events record before and after a change."""
    facts = {"role": member.role, "section": member.section, "state": member.state}
    return facts | {"labels": sorted(label.text for label in member.labels.all())}


def check_has_instructor(course: Course) -> None:
    """Raise Refused if the class has no active instructor left."""
    active = Membership.objects.filter(course=course, role=Role.INSTRUCTOR, state=State.ACTIVE)
    if not active.exists():
        raise Refused(
            _("A class needs at least one instructor. Make someone else an instructor first.")
        )


def get_or_create_labels(course: Course, texts: Iterable[str]) -> list[Label]:
    """Return the class's labels with these single texts in any case, creating missing ones."""
    there = {label.text.casefold(): label for label in course.labels.all()}
    found = []
    for text in texts:
        if text.casefold() not in there:
            there[text.casefold()] = Label.objects.create(course=course, text=text)
        found.append(there[text.casefold()])
    return found


def normalize_section(course: Course, section: str) -> str:
    """Return the section's name as the class already spells it, if only its case differs."""
    section = tidy_name(section)
    known = {name.casefold(): name for name in sections_of(course)}
    return known.get(section.casefold(), section)
