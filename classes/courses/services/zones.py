"""Services that move a class's dates to another time zone, keeping time of day or moment."""

from collections.abc import Iterator
from enum import StrEnum
from hashlib import sha256
from typing import Any
from zoneinfo import ZoneInfo

from django.db.models import F
from django.utils.translation import gettext as _

from classes.assignments.queries import assignments_of
from classes.assignments.services.reminders import schedule_check
from classes.assignments.services.settling import apply_settings
from classes.courses.moving import MovedDates, Preview, shift_dates
from classes.errors import Outdated, Refused
from classes.models import Assignment, Course, Override
from quizzes.models import Sitting


class Keep(StrEnum):
    """The property that dates keep in a new time zone: their time of day, or their moment."""

    CLOCK = "clock"
    MOMENT = "moment"


class ChoiceRequired(Refused):
    """Raised if it was not chosen what dates keep in the new time zone."""


def preview_zone(course: Course, of: str, to: str) -> Preview:
    """Return the dates that would change if they kept their time of day."""
    zones = {"of": ZoneInfo(of), "to": ZoneInfo(to)}
    rows = tuple(
        each
        for row in _dated(course)
        if (each := MovedDates(row, row.dates, shift_dates(row.dates, 0, **zones))).moves
    )
    changes = [(each.row._meta.label, each.row.pk, each.row.version, each.now) for each in rows]
    return Preview(rows, sha256(repr((of, to, changes)).encode()).hexdigest()[:32])


def change_zone_of_dates(
    course: Course, *, of: str, to: str, keep: str, digest: str
) -> dict[str, Any]:
    """Move a class's dates as chosen. Return the values for its history.

    Runs in the caller's transaction, with the class locked. Running attempts become no shorter.

    Raises:
        ChoiceRequired: there are dates to move, but nothing was chosen.
        Outdated: the dates differ from the preview.
    """
    change = preview_zone(course, of, to)
    if not change.rows:
        return {}
    if keep not in set(Keep):
        raise ChoiceRequired(_("Choose what happens to the dates."))
    if change.digest != digest:
        raise Outdated(_("The dates have changed in the meantime. Check them again."))
    if keep == Keep.CLOCK:
        for each in change.rows:
            _move(each)
        assignments = list(assignments_of(course))
        apply_settings(course, assignments)
        schedule_check(assignments, at_once=True)
    return {"dates": str(keep)}


def _dated(course: Course) -> Iterator[Assignment | Override]:
    yield from assignments_of(course)
    own = Override.objects.filter(course=course, assignment__isnull=False)
    related = ("assignment__sitting__quiz", "member__user", "label")
    yield from own.select_related(*related).order_by("assignment", "pk")


def _move(each: MovedDates) -> None:
    row, now = each.row, dict(each.now)
    if isinstance(row, Assignment):
        Assignment.objects.filter(pk=row.pk).update(
            due_at=now.pop("due_at"), version=F("version") + 1
        )
        Sitting.objects.filter(pk=row.sitting_id).update(**now)
    else:
        Override.objects.filter(pk=row.pk).update(**now, version=F("version") + 1)
