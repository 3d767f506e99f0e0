"""Services that change, remove and restore members. Rows are kept, as attempts need accounts."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from django.db import transaction
from django.utils.translation import gettext as _

from audit.changes import changed_values
from classes.access.queries import CourseAccess, sections_of
from classes.access.services import (
    Role,
    State,
    check_has_instructor,
    get_or_create_labels,
    lock_course,
    member_values,
    normalize_section,
    record_member_event,
)
from classes.assignments import letters
from classes.assignments.services.settling import apply_settings
from classes.errors import Refused
from classes.models import Course, Membership
from classes.rosters import split_labels


@dataclass(frozen=True)
class Change:
    """A change to members; None leaves a field unchanged."""

    role: str | None = None
    section: str | None = None
    add_labels: str = ""
    take_labels: str = ""


@transaction.atomic
def change_members(
    *, access: CourseAccess, keys: Iterable[int], change: Change, reason: str = ""
) -> int:
    """Change role, section and labels of these members. Return the number changed.

    Raises:
        Refused: the class would have no instructor left, or the user may not do it.
    """
    course = lock_course(access.course)
    if change.role is not None and not access.runs:
        raise Refused(_("Only instructors can change roles."))
    if change.section is not None and not access.sees_all:
        raise Refused(_("You can see only one section, so you can’t move people to another."))
    section = change.section and normalize_section(course, change.section)
    come = split_labels(change.add_labels)
    go = {text.casefold() for text in split_labels(change.take_labels)}
    if not access.sees_all:
        _refuse_sections(course, {*map(str.casefold, come), *go})
    come = get_or_create_labels(course, come)

    def alter(member: Membership) -> None:
        member.role = member.role if change.role is None else change.role
        member.section = member.section if section is None else section
        member.save(update_fields=["role", "section"])
        worn = [label for label in member.labels.all() if label.text.casefold() not in go]
        member.labels.set({*worn, *come})

    return _alter_members(access, keys, alter, "changed", reason)


def _refuse_sections(course: Course, labels: set[str]) -> None:
    """Raise Refused if one of these labels puts people into a section of the class."""
    if labels & {name.casefold() for name in sections_of(course)}:
        raise Refused(_("You can see only one section, so you can’t move people to another."))


@transaction.atomic
def remove_members(*, access: CourseAccess, keys: Iterable[int], reason: str = "") -> int:
    """Remove these members from the class. Their work stays, and they can be restored.

    Raises:
        Refused: the class would have no instructor left.
    """
    return _alter_members(access, keys, _remove, "removed", reason)


@transaction.atomic
def restore_members(*, access: CourseAccess, keys: Iterable[int], reason: str = "") -> int:
    """Restore these members to the class in their former roles."""
    keys = list(keys)
    count = _alter_members(access, keys, _restore, "taken_back", reason)
    back = Membership.objects.filter(pk__in=keys, course=access.course, user__isnull=False)
    letters.post_to_new_members(access.course, back.values("user"))
    return count


def _remove(member: Membership) -> None:
    member.state = State.REMOVED
    member.save(update_fields=["state"])


def _restore(member: Membership) -> None:
    if member.state in (State.LEFT, State.REMOVED):
        member.state = State.ACTIVE if member.user_id else State.INVITED
        member.save(update_fields=["state"])


def _alter_members(
    access: CourseAccess,
    keys: Iterable[int],
    alter: Callable[[Membership], None],
    verb: str,
    reason: str,
) -> int:
    """Alter each of the members the user may change, and record an event for each change."""
    lock_course(access.course)
    found = access.may_change().filter(pk__in=list(keys)).order_by("pk")
    changed = 0
    for member in found.select_related("user", "course").prefetch_related("labels"):
        was = member_values(member)
        alter(member)
        member._prefetched_objects_cache = {}
        before, after = changed_values(was, member_values(member))
        if after:
            record_member_event(
                access.user, verb, member, before=before, after=after, reason=reason
            )
            changed += 1
    check_has_instructor(access.course)
    if changed:
        apply_settings(access.course)
    return changed


@transaction.atomic
def leave_course(*, member: Membership) -> None:
    """Record that a member leaves the class; they can join it again.

    Raises:
        Refused: the class would have no instructor left.
    """
    course = lock_course(member.course)
    member = Membership.objects.select_related("user", "course").get(pk=member.pk)
    if member.state != State.ACTIVE:
        return
    member.state = State.LEFT
    member.save(update_fields=["state"])
    if member.role == Role.INSTRUCTOR:
        check_has_instructor(course)
    apply_settings(course)
    record_member_event(member.user, "left", member)
