"""Services that copy a class to the next term, with the same quizzes and rules on moved dates."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import date, datetime
from zoneinfo import ZoneInfo

from django.db import transaction
from django.utils.translation import gettext as _

from audit.services import record
from classes.access.queries import CourseAccess, can_create_course
from classes.access.services import lock_course
from classes.assignments.queries import assignments_of
from classes.assignments.services.assigning import RULES, Rules
from classes.assignments.services.reminders import schedule_check
from classes.courses.moving import MovedDates, Preview, shift_dates, to_minute_boundary
from classes.courses.services.courses import create_course
from classes.errors import Outdated, Refused
from classes.models import Assignment, Course
from foundation.fingerprints import fingerprint
from quizzes.models import Sitting


@dataclass(frozen=True, kw_only=True)
class NextTerm:
    """The settings of a copy. Dates move by the days from `counted_from` to `first_day`.

    keep_weekdays: whether by the nearest number of whole weeks instead.
    """

    title: str
    time_zone: str
    first_day: date | None = None
    counted_from: date | None = None
    keep_weekdays: bool = False

    @property
    def days_apart(self) -> int:
        """The number of days between the two first days."""
        if self.first_day is None or self.counted_from is None:
            return 0
        return (self.first_day - self.counted_from).days

    @property
    def days(self) -> int:
        """The number of days that dates move by."""
        return round(self.days_apart / 7) * 7 if self.keep_weekdays else self.days_apart


def preview_copy(*, access: CourseAccess, term: NextTerm) -> Preview:
    """Return the dates a copy would have.

    Raises:
        Refused: there are dates to move, but the term does not say by how much.
    """
    quizzes = [
        _move_assignment(each, access.course, term) for each in assignments_of(access.course)
    ]
    has_dates = any(any(each.was.values()) for each in quizzes)
    if has_dates and not (term.first_day and term.counted_from):
        raise Refused(_("There are dates to move. Enter the old and the new start date."))
    shown = [(each.row.pk, each.row.version, str(each.row), each.was, each.now) for each in quizzes]
    return Preview(quizzes, fingerprint(term, access.course.time_zone, shown))


@transaction.atomic
def copy_course(
    *,
    access: CourseAccess,
    term: NextTerm,
    digest: str,
    dates: Mapping[int, Mapping[str, datetime | None]] | None = None,
) -> Course:
    """Create the class that was previewed. Members, overrides and labels are not copied.

    Args:
        dates: dates typed in place of moved ones, by the old assignment's key and by name.

    Raises:
        Outdated: the copy would differ from the preview.
        Refused: the user may not create classes, or the typed dates of a quiz make no sense.
    """
    if not access.runs or not can_create_course(access.user):
        raise Refused(_("Only instructors can create classes."))
    lock_course(access.course)
    preview = preview_copy(access=access, term=term)
    if preview.digest != digest:
        raise Outdated(_("The class has changed in the meantime. Check the dates again."))
    course = create_course(
        by=access.user, title=term.title, time_zone=term.time_zone, first_day=term.first_day
    )
    course.copied_from = access.course
    course.save(update_fields=["copied_from"])
    rows = [
        replace(each, now={**each.now, **(dates or {}).get(each.row.pk, {})})
        for each in preview.rows
    ]
    schedule_check([_copy_assignment(each, course, each.row.pk in (dates or {})) for each in rows])
    record(
        actor=access.user,
        verb="classes.course.copied",
        target=course,
        scope=course.scope,
        after={"from": access.course.title, "quizzes": len(preview.rows), "days": term.days},
    )
    return course


def _move_assignment(assignment: Assignment, course: Course, term: NextTerm) -> MovedDates:
    zones = {"of": ZoneInfo(course.time_zone), "to": ZoneInfo(term.time_zone)}
    now = shift_dates(assignment.dates, term.days, **zones)
    return MovedDates(
        assignment,
        assignment.dates,
        {name: to_minute_boundary(name, at) for name, at in now.items()},
    )


def _copy_assignment(each: MovedDates, course: Course, is_edited: bool) -> Assignment:
    """Copy an assignment with its new dates, checked if somebody typed them."""
    old = each.row.sitting
    rules = {name: getattr(old, name) for name in RULES}
    rules |= {name: each.now[name] for name in ("opens_at", "closes_at")}
    if is_edited:
        try:
            Rules(**rules, due_at=each.now["due_at"])
        except Refused as refusal:
            raise Refused(f"{old.quiz.title}: {refusal}") from None
    sitting = Sitting.objects.create(
        quiz=old.quiz, given_in=course.title, open_to_all=False, **rules
    )
    return Assignment.objects.create(
        course=course,
        sitting=sitting,
        due_at=each.now["due_at"],
        dates_copied=any(each.was.values()),
    )
