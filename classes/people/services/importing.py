"""Bringing in a list of people: kept with its lines, previewed, then done as a whole or not."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Any

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from audit.changes import differing
from audit.services import Deed, record_all
from classes.access.queries import Seat
from classes.access.services import Role, State, labels_for, locked, remember_in
from classes.assignments import letters
from classes.assignments.services.settling import settle
from classes.errors import Outdated, Refused
from classes.models import Calendar, Membership, Override, RosterImport
from classes.people.queries.people import Place
from classes.people.queries.plans import Plan, Planned, plan
from classes.people.services.people import remove_members
from classes.people.services.sorting import keep_sorting
from classes.rosters import Line, Outcome

# What nobody has confirmed by then has names and addresses in it, and is deleted.
KEPT = timedelta(days=1)
BATCH = 500


@transaction.atomic
def keep_import(*, seat: Seat, lines: Iterable[Line], role: str, source: str = "") -> RosterImport:
    """Keep lines until they are confirmed, in the place of those that were not."""
    if not seat.runs:
        raise Refused(_("Only instructors can add people."))
    kept, _created = RosterImport.objects.update_or_create(
        course=seat.course,
        by=seat.user,
        defaults={
            "source": source[:120],
            "lines": [vars(line) for line in lines],
            "role": role,
            "created_at": timezone.now(),
        },
    )
    return kept


def put_aside(*, kept: RosterImport) -> None:
    """Do nothing with the lines, and keep them no longer."""
    kept.delete()


def planned(kept: RosterImport) -> Plan:
    """What the kept lines would do now."""
    found = plan(kept.course, map(Line.restored, kept.lines))
    return replace(found, source=kept.source, role=kept.role)


@transaction.atomic
def apply_import(
    *, kept: RosterImport, seat: Seat, digest: str, remove: Sequence[int] = ()
) -> Plan:
    """Do what was previewed, all of it; and remove those of the absent who were chosen.

    Raises:
        Outdated: it would not do now what the preview said, or another list has come since.
    """
    locked(seat.course)
    # As it is now: another list of the same person takes its place under the same key.
    current = RosterImport.objects.select_for_update().filter(pk=kept.pk).first()
    if current is None:
        raise Outdated(_("This list has already been imported or discarded."))
    kept, found = current, planned(current)
    if found.list_digest != digest.partition("-")[0]:
        raise Outdated(_("This is another list than the one you saw. Check this preview."))
    if found.digest != digest or not {*remove} <= {member.pk for member in found.absent}:
        raise Outdated(_("The class has changed in the meantime. Check the preview again."))
    _write(seat, found, kept.role)
    gone = remove_members(seat=seat, keys=remove) if remove else 0
    settle(seat.course)  # labels came with the list
    said = {
        account: each.line.sorts_as
        for each in found.lines
        if (account := each.user.pk if each.user else each.member and each.member.user)
    }
    keep_sorting(said)
    told = {**found.counts, "removed": gone}
    remember_in(seat, "roster.imported", seat.course, after=told)
    kept.delete()
    return found


def _write(seat: Seat, found: Plan, role: str) -> None:
    """With few statements, however many lines there are: nobody else writes meanwhile."""
    texts = dict.fromkeys(text for each in found.lines for text in each.labels)
    labels = {label.text.casefold(): label.pk for label in labels_for(seat.course, texts)}
    new = [each for each in found.lines if each.outcome in (Outcome.ADDED, Outcome.INVITED)]
    known = [
        (each, each.member)
        for each in found.lines
        if each.member and each.outcome in (Outcome.CHANGED, Outcome.BACK)
    ]
    made = _bring_in(seat, new, role)
    _alter(known)
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
    events = [_came(each, member, role) for each, member in zip(new, made, strict=True)]
    events += [_became(each, member) for each, member in known]
    record_all(actor=seat.user, scope=seat.course.scope, deeds=events)
    back = [member for each, member in known if each.outcome == Outcome.BACK]
    come = [member.user_id for member in made] + [member.user for member in back]
    letters.welcome(seat.course, [user for user in come if user])


def _bring_in(seat: Seat, lines: Sequence[Planned], role: str) -> list[Membership]:
    return Membership.objects.bulk_create(
        [
            Membership(
                course=seat.course,
                user_id=each.user and each.user.pk,
                email="" if each.user else each.line.address,
                name="" if each.user else each.line.name,
                sorts_as="" if each.user else each.line.sorts_as,
                role=role,
                section=each.section,
                state=State.ACTIVE if each.user else State.INVITED,
            )
            for each in lines
        ],
        batch_size=BATCH,
    )


def _alter(known: Sequence[tuple[Planned, Place]]) -> None:
    """All who come to the same section and state at once."""
    alike: dict[tuple[str, str], list[int]] = {}
    for each, member in known:
        alike.setdefault((each.section or member.section, _state(each, member)), []).append(
            member.pk
        )
    for (section, state), keys in alike.items():
        for start in range(0, len(keys), BATCH):
            some = Membership.objects.filter(pk__in=keys[start : start + BATCH])
            some.update(section=section, state=state)


def _state(each: Planned, member: Place) -> str:
    if each.outcome != Outcome.BACK:
        return member.state
    return State.ACTIVE if member.user else State.INVITED


def _came(each: Planned, member: Membership, role: str) -> Deed:
    after = {"role": role, "section": each.section, "labels": list(each.labels)}
    return Deed(f"classes.member.{each.outcome}", member, member.user_id, after=after)


def _became(each: Planned, member: Place) -> Deed:
    was = {"section": member.section, "state": member.state, "labels": member.labels}
    now = {
        "section": each.section or member.section,
        "state": _state(each, member),
        "labels": sorted([*member.labels, *each.labels]),
    }
    before, after = differing(was, now)
    verb = "taken_back" if each.outcome == Outcome.BACK else "changed"
    # By its key alone: an event takes no more of it.
    target = Membership(pk=member.pk)
    return Deed(f"classes.member.{verb}", target, member.user, before=before, after=after)


def forget_imports() -> None:
    """Delete what nobody has confirmed within a day."""
    RosterImport.objects.filter(created_at__lt=timezone.now() - KEPT).delete()


@transaction.atomic
def forget_member(*, student: Any) -> None:
    """Leave of somebody's places in classes what marks need: that somebody was there.

    The caller's transaction. Lists that wait to be confirmed may have the name in them, and go; so
    do exceptions, whose reasons are nobody's business any more.
    """
    places = Membership.objects.filter(user=student)
    courses = list(places.values_list("course", flat=True))
    RosterImport.objects.filter(course__in=courses).delete()
    RosterImport.objects.filter(by=student).delete()
    Membership.labels.through.objects.filter(membership__user=student).delete()
    Override.objects.filter(member__user=student).delete()
    Calendar.objects.filter(user=student).delete()
    places.update(state=State.REMOVED, role=Role.STUDENT)
