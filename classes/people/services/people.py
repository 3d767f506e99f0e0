"""Services that change, remove and restore members. Rows are kept, as attempts need accounts."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from django.db import transaction
from django.utils.translation import gettext as _

from audit.changes import differing
from classes.access.queries import Seat
from classes.access.services import (
    Role,
    State,
    check_somebody_runs,
    facts_of,
    labels_for,
    locked,
    remember,
    spelt_as_before,
)
from classes.assignments import letters
from classes.assignments.services.settling import settle
from classes.errors import Refused
from classes.models import Membership
from classes.rosters import split_labels


@dataclass(frozen=True)
class Change:
    """A change to members; None leaves a field unchanged."""

    role: str | None = None
    section: str | None = None
    add_labels: str = ""
    take_labels: str = ""


@transaction.atomic
def change_members(*, seat: Seat, keys: Iterable[int], change: Change, reason: str = "") -> int:
    """Change role, section and labels of these members. Return the number changed.

    Raises:
        Refused: the class would have no instructor left, or the seat may not do it.
    """
    course = locked(seat.course)
    if change.role is not None and not seat.runs:
        raise Refused(_("Only instructors can change roles."))
    if change.section is not None and not seat.sees_all:
        raise Refused(_("You can see only one section, so you cannot move people to another."))
    section = change.section and spelt_as_before(course, change.section)
    come = labels_for(course, [change.add_labels])
    go = {text.casefold() for text in split_labels(change.take_labels)}

    def alter(member: Membership) -> None:
        member.role = member.role if change.role is None else change.role
        member.section = member.section if section is None else section
        member.save(update_fields=["role", "section"])
        worn = [label for label in member.labels.all() if label.text.casefold() not in go]
        member.labels.set({*worn, *come})

    return _each(seat, keys, alter, "changed", reason)


@transaction.atomic
def remove_members(*, seat: Seat, keys: Iterable[int], reason: str = "") -> int:
    """Remove these members from the class. Their work stays, and they can be restored.

    Raises:
        Refused: the class would have no instructor left.
    """
    return _each(seat, keys, _out, "removed", reason)


@transaction.atomic
def take_back(*, seat: Seat, keys: Iterable[int], reason: str = "") -> int:
    """Restore these members to the class in their former roles."""
    keys = list(keys)
    count = _each(seat, keys, _in, "taken_back", reason)
    back = Membership.objects.filter(pk__in=keys, course=seat.course, user__isnull=False)
    letters.welcome(seat.course, back.values("user"))
    return count


def _out(member: Membership) -> None:
    member.state = State.REMOVED
    member.save(update_fields=["state"])


def _in(member: Membership) -> None:
    if member.state in (State.LEFT, State.REMOVED):
        member.state = State.ACTIVE if member.user_id else State.INVITED
        member.save(update_fields=["state"])


def _each(
    seat: Seat, keys: Iterable[int], alter: Callable[[Membership], None], verb: str, reason: str
) -> int:
    """Alter each of the members this seat may change, and record an event for each change."""
    locked(seat.course)
    found = seat.may_change().filter(pk__in=list(keys)).order_by("pk")
    changed = 0
    for member in found.select_related("user", "course").prefetch_related("labels"):
        was = facts_of(member)
        alter(member)
        member._prefetched_objects_cache = {}
        before, after = differing(was, facts_of(member))
        if after:
            remember(seat.user, verb, member, before=before, after=after, reason=reason)
            changed += 1
    check_somebody_runs(seat.course)
    if changed:
        settle(seat.course)
    return changed


@transaction.atomic
def leave(*, member: Membership) -> None:
    """Record that a member leaves the class; they can join it again.

    Raises:
        Refused: the class would have no instructor left.
    """
    course = locked(member.course)
    member = Membership.objects.select_related("user", "course").get(pk=member.pk)
    if member.state != State.ACTIVE:
        return
    member.state = State.LEFT
    member.save(update_fields=["state"])
    if member.role == Role.INSTRUCTOR:
        check_somebody_runs(course)
    settle(course)
    remember(member.user, "left", member)
