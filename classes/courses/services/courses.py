"""Services that create and archive classes, and change their settings and codes."""

from datetime import date
from typing import Any

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from audit.changes import changed_values, field_values
from audit.services import record
from classes import codes
from classes.access.services import lock_course, record_member_event
from classes.assignments.services.reminders import schedule_check
from classes.courses.services.zones import change_zone_of_dates
from classes.errors import Outdated
from classes.models import Assignment, Course, Membership
from quizzes.models import Sitting

SETTINGS = ("title", "time_zone", "first_day")


def settings_of(course: Course) -> dict[str, Any]:
    """Return the settings of a class by name."""
    return field_values(course, *SETTINGS)


@transaction.atomic
def create_course(*, by: Any, title: str, time_zone: str, first_day: date | None) -> Course:
    """Create a class with its creator as instructor."""
    course = Course.objects.create(title=title, time_zone=time_zone, first_day=first_day)
    record(actor=by, verb="classes.course.created", target=course, scope=course.scope)
    member = Membership.objects.create(course=course, user=by, role=Membership.Role.INSTRUCTOR)
    record_member_event(by, "added", member, after={"role": member.role})
    return course


@transaction.atomic
def change_course(
    *,
    course: Course,
    by: Any,
    title: str,
    time_zone: str,
    first_day: date | None,
    was: dict[str, Any] | None = None,
    keep: str = "",
    digest: str = "",
) -> None:
    """Change the title, time zone and first day of a class.

    Args:
        was: the settings the user saw, or None to skip the check.
        keep: what dates keep in a new time zone: a value of `Keep`.
        digest: the digest of the preview of those dates.

    Raises:
        ChoiceRequired, Outdated: see `change_zone_of_dates`. Nothing is changed.
        Outdated: somebody has changed the settings meanwhile.
    """
    course = lock_course(course)
    if was not in (None, settings_of(course)):
        raise Outdated(_("Someone else has changed this in the meantime. Save again."))
    was = settings_of(course)
    course.title, course.time_zone, course.first_day = title, time_zone, first_day
    before, after = changed_values(was, settings_of(course))
    if after:
        after |= change_zone_of_dates(
            course, of=was["time_zone"], to=time_zone, keep=keep, digest=digest
        )
        course.save(update_fields=SETTINGS)
        Sitting.objects.filter(assignment__course=course).update(given_in=title)
        Assignment.objects.filter(course=course).update(changed_at=timezone.now())
        _record(by, "course.changed", course, before=before, after=after)


@transaction.atomic
def archive_course(*, course: Course, by: Any, archived: bool) -> None:
    """Archive a class, so that nobody can join it, or restore it."""
    course = lock_course(course)
    if course.archived != archived:
        course.archived = archived
        course.save(update_fields=["archived"])
        if not archived:  # reminders were not sent meanwhile
            assignments = Assignment.objects.filter(course=course).select_related("sitting")
            schedule_check(assignments, at_once=True)
        _record(by, "course.archived" if archived else "course.fetched", course)


@transaction.atomic
def set_code_open(*, course: Course, by: Any, is_open: bool) -> None:
    """Turn joining by code on or off."""
    course = lock_course(course)
    if course.code_open != is_open:
        course.code_open = is_open
        course.save(update_fields=["code_open"])
        _record(by, "code.opened" if is_open else "code.closed", course)


@transaction.atomic
def renew_code(*, course: Course, by: Any) -> None:
    """Replace the class's code; the old one no longer works."""
    course = lock_course(course)
    course.code = codes.draw()
    course.save(update_fields=["code"])
    _record(by, "code.renewed", course)


def _record(by: Any, deed: str, course: Course, **details: Any) -> None:
    record(actor=by, verb=f"classes.{deed}", target=course, scope=course.scope, **details)
