"""Services for overrides, which set other rules for members or for a label."""

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from datetime import datetime
from decimal import Decimal
from typing import Any

from django.core.exceptions import ValidationError
from django.db import transaction
from django.utils.translation import gettext as _

from audit.changes import changed_values, field_values
from classes.access.queries import CURRENT_STATES, CourseAccess
from classes.access.services import get_or_create_labels, lock_course, record_course_event
from classes.assignments import letters
from classes.assignments.services.settling import apply_settings
from classes.errors import Outdated, Refused
from classes.models import Assignment, Course, Label, Membership, Override
from foundation.minutes import minute_or_none
from quizzes.delivery.services.deadlines import DeadlineChanges

TIME_FIELDS = ("factor", "more_minutes", "untimed")


@dataclass(frozen=True, kw_only=True)
class OverrideValues:
    """The values of an override; empty fields change nothing."""

    opens_at: datetime | None = None
    due_at: datetime | None = None
    closes_at: datetime | None = None
    factor: Decimal | None = None
    more_minutes: int | None = None
    untimed: bool = False
    attempts_allowed: int | None = None

    @property
    def values(self) -> dict[str, Any]:
        """The fields to set and their values; the fields for time are set together."""
        values = {name: value for name, value in asdict(self).items() if value not in (None, False)}
        if any(name in values for name in TIME_FIELDS):
            values |= {name: getattr(self, name) for name in TIME_FIELDS}
        return values


FIELDS = tuple(OverrideValues.__dataclass_fields__)


@transaction.atomic
def create_overrides(
    *,
    access: CourseAccess,
    difference: OverrideValues,
    assignment: Assignment | None = None,
    members: Iterable[int] = (),
    label: Label | None = None,
    section: str = "",
    reason: str = "",
) -> tuple[list[Override], DeadlineChanges]:
    """Create overrides for these students, a label or a section, for an assignment or the class.

    A section's override is that of the label of its name, which it creates if there is none. An
    existing override keeps the fields that the difference leaves empty. Repeating the call
    changes nothing: no event is recorded and no letter posted.

    Raises:
        Refused: the user may not create them, or the values make no sense.
    """
    course = _lock_as_assistant(access)
    if not difference.values:
        raise Refused(_("Choose what should be different."))
    made, different = [], []
    if section and access.sees_all:
        (label,) = get_or_create_labels(course, [section])
    for own in _targets(access, members, label):
        found = Override.objects.filter(course=course, assignment=assignment, **own).first()
        override = found or Override(course=course, assignment=assignment, **own)
        if not _has_values(override, difference.values, reason):
            _write(access, override, difference.values, reason)
            different.append(override)
        made.append(override)
    letters.post_overrides(different)
    return made, apply_settings(course, [assignment] if assignment else None)


@transaction.atomic
def change_override(
    *,
    access: CourseAccess,
    override: Override,
    difference: OverrideValues,
    version: int,
    reason: str = "",
    may_shorten: bool = False,
) -> DeadlineChanges:
    """Replace all values of an override.

    Raises:
        Outdated: somebody has changed or removed it since this version.
        Refused: see `create_overrides`.
    """
    course = _lock_as_assistant(access)
    found = _current(access, override, version)
    if not difference.values:
        raise Refused(_("Choose what should be different, or remove the exception."))
    _write(access, found, asdict(difference), reason)
    letters.post_overrides([found])
    return _settle(course, found, may_shorten=may_shorten)


@transaction.atomic
def remove_override(
    *,
    access: CourseAccess,
    override: Override,
    version: int,
    reason: str = "",
    may_shorten: bool = False,
) -> DeadlineChanges:
    """Remove an override. Running attempts become shorter only if `may_shorten`."""
    course = _lock_as_assistant(access)
    found = _current(access, override, version)
    _record(access, "removed", found, before=_override_values(found), reason=reason)
    letters.post_overrides([found], is_over=True)
    found.delete()
    return _settle(course, found, may_shorten=may_shorten)


def _lock_as_assistant(access: CourseAccess) -> Course:
    if not access.helps:
        raise Refused(_("Observers can’t change anything in a class."))
    return lock_course(access.course)


def _targets(
    access: CourseAccess, members: Iterable[int], label: Label | None
) -> list[dict[str, Any]]:
    """Return the columns of an override for each of these students, or for the label."""
    if label is not None:
        if not access.sees_all:
            raise Refused(_("You can see only one section. Choose its students individually."))
        return [{"label": label}]
    keys = set(members)
    students = access.members().filter(
        pk__in=keys, role=Membership.Role.STUDENT, state__in=CURRENT_STATES
    )
    found = list(students.select_related("user").order_by("pk"))
    if not keys or len(found) < len(keys):
        raise Refused(_("Choose students in this class."), field="members")
    return [{"member": member} for member in found]


def _current(access: CourseAccess, override: Override, version: int) -> Override:
    found = (
        Override.objects.filter(pk=override.pk, course=access.course)
        .select_related("assignment__sitting", "member__user", "label")
        .first()
    )
    if found is None:
        words = _(
            "Someone else has removed this exception in the meantime. If it’s still needed, add a"
            " new one."
        )
        raise Outdated(words)
    if found.version != version:
        words = _(
            "Someone else has changed this exception in the meantime. Check its current values,"
            " then try again."
        )
        raise Outdated(words)
    return found


def _has_values(override: Override, values: dict[str, Any], reason: str) -> bool:
    """Return whether a saved override already has these values and this reason."""
    if override.pk is None or override.reason != reason:
        return False
    return all(getattr(override, name) == value for name, value in values.items())


def _write(access: CourseAccess, override: Override, values: dict[str, Any], reason: str) -> None:
    was = _override_values(override) if override.pk else {}
    for name, value in values.items():
        setattr(override, name, value)
    override.reason = reason
    _check(override)
    override.version += bool(override.pk)
    override.save()
    before, after = changed_values(was, _override_values(override))
    verb = "changed" if was else "made"
    _record(access, verb, override, before=before, after=after, reason=reason)


def _check(override: Override) -> None:
    """Raise Refused for values that make no sense, alone or with those set for everybody."""
    if override.assignment is None and any(override.dates.values()):
        raise Refused(
            _("You can only set dates for a single quiz. Choose one."), field="assignment"
        )
    try:
        override.clean_fields()
    except ValidationError as wrong:
        field = next(iter(wrong.message_dict))
        raise Refused(" ".join(wrong.messages), field=field) from None
    if override.assignment is not None:
        sitting = override.assignment.sitting
        opens = minute_or_none(override.opens_at or sitting.opens_at)
        due = minute_or_none(override.due_at or override.assignment.due_at)
        closes = minute_or_none(override.closes_at or sitting.closes_at)
        if opens and closes and closes <= opens:
            words = _(
                "With this exception, the quiz would close before it opens. Enter a "
                "later closing date."
            )
            raise Refused(words, field="closes_at")
        if override.due_at and closes and closes < due:
            words = _(
                "With this exception, the quiz would close before it’s due. Enter a "
                "later closing date."
            )
            raise Refused(words, field="closes_at")


def _settle(course: Course, override: Override, *, may_shorten: bool) -> DeadlineChanges:
    assignment = override.assignment
    return apply_settings(course, [assignment] if assignment else None, may_shorten=may_shorten)


def _override_values(override: Override) -> dict[str, Any]:
    facts = {
        "quiz": str(override.assignment) if override.assignment else None,
        "label": override.label and override.label.text,
        **field_values(override, *FIELDS),
    }
    return {name: value for name, value in facts.items() if value not in (None, False)}


def _record(access: CourseAccess, deed: str, override: Override, **details: Any) -> None:
    member = override.member
    whose = "exception" if member else "label_exception"
    record_course_event(
        access, f"{whose}.{deed}", override, person=member and member.user, **details
    )
