"""Services that keep, apply and delete lists of people, each applied as a whole or not at all."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import timedelta
from itertools import batched
from typing import Any

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from audit.changes import changed_values
from audit.services import NewEvent, record_all
from classes.access.queries import CourseAccess
from classes.access.services import (
    Role,
    State,
    get_or_create_labels,
    lock_course,
    record_course_event,
)
from classes.assignments import letters
from classes.assignments.services.settling import apply_settings
from classes.errors import Outdated, Refused
from classes.models import Calendar, Course, MemberNote, Membership, Override, RosterImport
from classes.people.letters import invitations_to
from classes.people.queries.people import MemberColumns
from classes.people.queries.plans import Plan, PlannedLine, plan_import
from classes.people.services.inviting import write_to_invited
from classes.people.services.people import remove_members
from classes.people.services.sorting import set_sorting
from classes.rosters import ImportAction, Line

# Unconfirmed lists contain names and addresses, so they are deleted after this time.
KEEP_FOR = timedelta(days=1)
BATCH = 500


@transaction.atomic
def keep_import(
    *, access: CourseAccess, lines: Iterable[Line], role: str, source: str = ""
) -> RosterImport:
    """Keep lines until they are confirmed, in place of the user's former list."""
    if not access.runs:
        raise Refused(_("Only instructors can add people."))
    kept, _created = RosterImport.objects.update_or_create(
        course=access.course,
        by=access.user,
        defaults={
            "source": source[:120],
            "lines": [vars(line) for line in lines],
            "role": role,
            "created_at": timezone.now(),
        },
    )
    return kept


def discard_import(*, kept: RosterImport) -> None:
    """Discard a kept list."""
    kept.delete()


def plan_kept_import(kept: RosterImport, *, replaces: bool = False) -> Plan:
    """Return what importing the kept list would do now; `replaces` is that of `plan_import`."""
    found = plan_import(kept.course, map(Line.restored, kept.lines), replaces=replaces)
    return replace(found, source=kept.source, role=kept.role)


@transaction.atomic
def apply_import(
    *,
    kept: RosterImport,
    access: CourseAccess,
    digest: str,
    remove: Sequence[int] = (),
    write: bool = False,
    replaces: bool = False,
) -> tuple[Plan, int]:
    """Apply the whole list as previewed, and remove the chosen absent students.

    Returns the plan and, if `write`, to how many of those invited a letter was posted.

    Raises:
        Outdated: the result would differ from the preview, or the list was replaced or deleted.
    """
    lock_course(access.course)
    # Read again: another list of the same user replaces it under the same key.
    current = RosterImport.objects.select_for_update().filter(pk=kept.pk).first()
    if current is None:
        raise Outdated(_("This list has already been imported or discarded."))
    kept, found = current, plan_kept_import(current, replaces=replaces)
    if found.list_digest != digest.partition("-")[0]:
        raise Outdated(_("This isn’t the list you saw. Check this preview."))
    if found.digest != digest or not {*remove} <= {member.pk for member in found.absent}:
        raise Outdated(_("The class has changed in the meantime. Check the preview again."))
    invited = _write(access, found, kept.role)
    gone = remove_members(access=access, keys=remove) if remove else 0
    apply_settings(access.course)  # the list may have added labels
    sorting = {
        account: each.line.sorts_as
        for each in found.lines
        if (account := each.user.pk if each.user else each.member and each.member.user)
    }
    set_sorting(sorting)
    values = {**found.counts, "removed": gone}
    record_course_event(access, "roster.imported", access.course, after=values)
    kept.delete()
    return found, write_to_invited(access=access, keys=invited) if write else 0


def _write(access: CourseAccess, found: Plan, role: str) -> set[int]:
    """Write the changes in few statements, because nobody else can write meanwhile.

    Returns the keys of those who are invited.
    """
    texts = dict.fromkeys(text for each in found.lines for text in each.labels)
    labels = {
        label.text.casefold(): label.pk for label in get_or_create_labels(access.course, texts)
    }
    new = [
        each for each in found.lines if each.outcome in (ImportAction.ADDED, ImportAction.INVITED)
    ]
    known = [
        (each, each.member)
        for each in found.lines
        if each.member and each.outcome in (ImportAction.CHANGED, ImportAction.BACK)
    ]
    made = _create_members(access, new, role)
    _update_members(known)
    worn = Membership.labels.through
    worn.objects.bulk_create(
        [
            worn(membership_id=member.pk, label_id=labels[text.casefold()])
            for each, member in [*zip(new, made, strict=True), *known]
            for text in each.labels
        ],
        batch_size=BATCH,
        ignore_conflicts=True,
    )
    _remove_labels(access.course, known)
    _keep_platform_columns(access.course, found.lines)
    events = [_added_event(each, member, role) for each, member in zip(new, made, strict=True)]
    events += [_changed_event(each, member) for each, member in known]
    record_all(actor=access.user, scope=access.course.scope, deeds=events)
    back = [member for each, member in known if each.outcome == ImportAction.BACK]
    come = [member.user_id for member in made] + [member.user for member in back]
    letters.post_to_new_members(access.course, [user for user in come if user])
    without_account = [each.pk for each in made if not each.user_id]
    return {*without_account, *(each.pk for each in back if not each.user)}


def _create_members(
    access: CourseAccess, lines: Sequence[PlannedLine], role: str
) -> list[Membership]:
    return Membership.objects.bulk_create(
        [
            Membership(
                course=access.course,
                user_id=each.user and each.user.pk,
                email="" if each.user else each.line.address,
                name="" if each.user else each.line.name,
                sorts_as="" if each.user else each.line.sorts_as,
                role=role,
                section=each.section,
                platform=each.line.platform or None,
                state=State.ACTIVE if each.user else State.INVITED,
            )
            for each in lines
        ],
        batch_size=BATCH,
    )


def _update_members(known: Sequence[tuple[PlannedLine, MemberColumns]]) -> None:
    """Update members with the same new section and state together."""
    alike: dict[tuple[str, str], list[int]] = {}
    for each, member in known:
        alike.setdefault((each.section or member.section, _state(each, member)), []).append(
            member.pk
        )
    for (section, state), keys in alike.items():
        for start in range(0, len(keys), BATCH):
            some = Membership.objects.filter(pk__in=keys[start : start + BATCH])
            some.update(section=section, state=state)


def _remove_labels(course: Course, known: Sequence[tuple[PlannedLine, MemberColumns]]) -> None:
    """Remove the labels of sections that the list replaces."""
    members: dict[str, list[int]] = {}
    for each, member in known:
        for text in each.leaves:
            members.setdefault(text, []).append(member.pk)
    for text, keys in members.items():
        worn = Membership.labels.through.objects.filter(label__course=course, label__text=text)
        for some in batched(keys, BATCH, strict=False):
            worn.filter(membership__in=some).delete()


def _keep_platform_columns(course: Course, lines: Sequence[PlannedLine]) -> None:
    """Keep what Canvas calls the students who are in the class already."""
    listed = {each.member.pk: each.line.platform for each in lines if each.member}
    if not any(listed.values()):
        return
    kept = Membership.objects.filter(course=course, role=Role.STUDENT).only("platform")
    changed = [
        member for member in kept if listed.get(member.pk) not in (None, {}, member.platform)
    ]
    for member in changed:
        member.platform = dict(listed[member.pk])
    Membership.objects.bulk_update(changed, ["platform"], batch_size=BATCH)


def _state(each: PlannedLine, member: MemberColumns) -> str:
    if each.outcome != ImportAction.BACK:
        return member.state
    return State.ACTIVE if member.user else State.INVITED


def _added_event(each: PlannedLine, member: Membership, role: str) -> NewEvent:
    after = {"role": role, "section": each.section, "labels": list(each.labels)}
    return NewEvent(f"classes.member.{each.outcome}", member, member.user_id, after=after)


def _changed_event(each: PlannedLine, member: MemberColumns) -> NewEvent:
    was = {"section": member.section, "state": member.state, "labels": member.labels}
    now = {
        "section": each.section or member.section,
        "state": _state(each, member),
        "labels": sorted({*member.labels, *each.labels} - {*each.leaves}),
    }
    before, after = changed_values(was, now)
    verb = "taken_back" if each.outcome == ImportAction.BACK else "changed"
    # An event needs only the member's key.
    target = Membership(pk=member.pk)
    return NewEvent(f"classes.member.{verb}", target, member.user, before=before, after=after)


def delete_unconfirmed_imports() -> None:
    """Delete lists that were not confirmed within a day."""
    RosterImport.objects.filter(created_at__lt=timezone.now() - KEEP_FOR).delete()


@transaction.atomic
def delete_personal_data(*, student: Any) -> None:
    """Reduce a person's memberships to what marks need: that somebody was in the class.

    Runs in the caller's transaction. Deletes unconfirmed lists, which may contain the name, and
    overrides, whose reasons are personal, and what staff noted about them.
    """
    places = Membership.objects.filter(user=student)
    courses = list(places.values_list("course", flat=True))
    RosterImport.objects.filter(course__in=courses).delete()
    RosterImport.objects.filter(by=student).delete()
    invitations_to(places.values_list("pk", flat=True)).delete()
    Membership.labels.through.objects.filter(membership__user=student).delete()
    Override.objects.filter(member__user=student).delete()
    MemberNote.objects.filter(member__user=student).delete()
    Calendar.objects.filter(user=student).delete()
    places.update(state=State.REMOVED, role=Role.STUDENT, platform=None)
