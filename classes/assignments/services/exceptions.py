"""Services for overrides, which set other rules for members or for a label."""

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from datetime import datetime
from decimal import Decimal
from typing import Any

from django.core.exceptions import ValidationError
from django.db import transaction
from django.utils.translation import gettext as _

from audit.changes import differing, values_of
from classes.access.queries import PRESENT, Seat
from classes.access.services import locked, remember_in
from classes.assignments import letters
from classes.assignments.services.settling import settle
from classes.errors import Outdated, Refused
from classes.models import Assignment, Course, Label, Membership, Override
from foundation.minutes import minute_of
from quizzes.delivery.services.deadlines import Changed

TIME = ("factor", "more_minutes", "untimed")


@dataclass(frozen=True, kw_only=True)
class Difference:
    """The values of an override; empty fields change nothing."""

    opens_at: datetime | None = None
    due_at: datetime | None = None
    closes_at: datetime | None = None
    factor: Decimal | None = None
    more_minutes: int | None = None
    untimed: bool = False
    attempts_allowed: int | None = None

    @property
    def said(self) -> dict[str, Any]:
        """The fields to set and their values; the fields for time are set together."""
        values = {name: value for name, value in asdict(self).items() if value not in (None, False)}
        if any(name in values for name in TIME):
            values |= {name: getattr(self, name) for name in TIME}
        return values


FIELDS = tuple(Difference.__dataclass_fields__)


@transaction.atomic
def make_exceptions(
    *,
    seat: Seat,
    difference: Difference,
    assignment: Assignment | None = None,
    members: Iterable[int] = (),
    label: Label | None = None,
    reason: str = "",
) -> tuple[list[Override], Changed]:
    """Create overrides for these students or a label, at one assignment or in the whole class.

    An existing override keeps the fields that the difference leaves empty. Repeating the call
    changes nothing: no event is recorded and no letter posted.

    Raises:
        Refused: the seat may not create them, or the values make no sense.
    """
    course = _to_change(seat)
    if not difference.said:
        raise Refused(_("Choose what should be different."))
    made, different = [], []
    for own in _concerned(seat, members, label):
        found = Override.objects.filter(course=course, assignment=assignment, **own).first()
        override = found or Override(course=course, assignment=assignment, **own)
        if not _says(override, difference.said, reason):
            _write(seat, override, difference.said, reason)
            different.append(override)
        made.append(override)
    letters.excepted(different)
    return made, settle(course, [assignment] if assignment else None)


@transaction.atomic
def change_exception(
    *,
    seat: Seat,
    override: Override,
    difference: Difference,
    version: int,
    reason: str = "",
    may_shorten: bool = False,
) -> Changed:
    """Replace all values of an override.

    Raises:
        Outdated: somebody has changed or removed it since this version.
        Refused: see `make_exceptions`.
    """
    course = _to_change(seat)
    found = _current(seat, override, version)
    if not difference.said:
        raise Refused(_("Choose what should be different, or remove the exception."))
    _write(seat, found, asdict(difference), reason)
    letters.excepted([found])
    return _settle(course, found, may_shorten=may_shorten)


@transaction.atomic
def remove_exception(
    *, seat: Seat, override: Override, version: int, reason: str = "", may_shorten: bool = False
) -> Changed:
    """Remove an override. Running attempts become shorter only if `may_shorten`."""
    course = _to_change(seat)
    found = _current(seat, override, version)
    _remember(seat, "removed", found, before=_facts(found), reason=reason)
    letters.excepted([found], is_over=True)
    found.delete()
    return _settle(course, found, may_shorten=may_shorten)


def _to_change(seat: Seat) -> Course:
    if not seat.helps:
        raise Refused(_("Observers cannot change anything in a class."))
    return locked(seat.course)


def _concerned(seat: Seat, members: Iterable[int], label: Label | None) -> list[dict[str, Any]]:
    """Return the columns of an override for each of these students, or for the label."""
    if label is not None:
        if not seat.sees_all:
            raise Refused(_("You can see only one section. Choose its students individually."))
        return [{"label": label}]
    keys = set(members)
    students = seat.members().filter(pk__in=keys, role=Membership.Role.STUDENT, state__in=PRESENT)
    found = list(students.select_related("user").order_by("pk"))
    if not keys or len(found) < len(keys):
        raise Refused(_("Choose students in this class."), field="members")
    return [{"member": member} for member in found]


def _current(seat: Seat, override: Override, version: int) -> Override:
    found = (
        Override.objects.filter(pk=override.pk, course=seat.course)
        .select_related("assignment__sitting", "member__user", "label")
        .first()
    )
    if found is None:
        raise Outdated(_("Someone else has removed this exception in the meantime."))
    if found.version != version:
        raise Outdated(_("Someone else has changed this exception in the meantime."))
    return found


def _says(override: Override, said: dict[str, Any], reason: str) -> bool:
    """Return whether a saved override already has these values and this reason."""
    if override.pk is None or override.reason != reason:
        return False
    return all(getattr(override, name) == value for name, value in said.items())


def _write(seat: Seat, override: Override, said: dict[str, Any], reason: str) -> None:
    was = _facts(override) if override.pk else {}
    for name, value in said.items():
        setattr(override, name, value)
    override.reason = reason
    _check(override)
    override.version += bool(override.pk)
    override.save()
    before, after = differing(was, _facts(override))
    verb = "changed" if was else "made"
    _remember(seat, verb, override, before=before, after=after, reason=reason)


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
        opens = minute_of(override.opens_at or sitting.opens_at)
        due = minute_of(override.due_at or override.assignment.due_at)
        closes = minute_of(override.closes_at or sitting.closes_at)
        if opens and closes and closes <= opens:
            words = _("The quiz would close before it opens. Enter a later closing date for them.")
            raise Refused(words, field="closes_at")
        if override.due_at and closes and closes < due:
            words = _("The quiz would close before it is due. Enter a later closing date for them.")
            raise Refused(words, field="closes_at")


def _settle(course: Course, override: Override, *, may_shorten: bool) -> Changed:
    assignment = override.assignment
    return settle(course, [assignment] if assignment else None, may_shorten=may_shorten)


def _facts(override: Override) -> dict[str, Any]:
    facts = {
        "quiz": str(override.assignment) if override.assignment else None,
        "label": override.label and override.label.text,
        **values_of(override, *FIELDS),
    }
    return {name: value for name, value in facts.items() if value not in (None, False)}


def _remember(seat: Seat, deed: str, override: Override, **told: Any) -> None:
    member = override.member
    whose = "exception" if member else "label_exception"
    remember_in(seat, f"{whose}.{deed}", override, person=member and member.user, **told)
