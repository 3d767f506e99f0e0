"""Scheduling of letters: each assignment stores when it is to be checked next.

A check reminds students whose work is due within a day, announces marks that have been visible
since the quiz closed, and schedules the next check. Services that change dates reschedule it.
"""

import time
from collections.abc import Iterable, Iterator
from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import Max
from django.utils import timezone

from classes.access.services import lock_course
from classes.assignments import letters
from classes.assignments.effective_settings import overrides_of_course
from classes.models import Assignment, Course, Override
from quizzes.models import Sitting

# How long before the deadline a student is reminded.
REMIND_BEFORE = timedelta(days=1)
# How long after the last attempt's deadline the assignment is checked again.
RECHECK_AFTER = timedelta(minutes=1)


def schedule_check(assignments: Iterable[Assignment], *, at_once: bool = False) -> None:
    """Schedule the next check of these assignments, in the caller's transaction.

    Args:
        at_once: check now, since dates were moved and a reminder may be missing.
    """
    assignments = list(assignments)
    now = timezone.now()
    dates: dict[int, list[datetime]] = {}
    own = Override.objects.filter(assignment__in=[each.pk for each in assignments]).order_by()
    for pk, *moments in own.values_list("assignment", "due_at", "closes_at"):
        dates.setdefault(pk, []).extend(filter(None, moments))
    for assignment in assignments:
        waits = assignment.tell_at is not None and assignment.tell_at <= now
        own_dates = dates.get(assignment.pk, [])
        next_at = now if at_once or waits else _next_check(assignment, own_dates, now)
        if assignment.tell_at != next_at:
            assignment.tell_at = next_at
            Assignment.objects.filter(pk=assignment.pk).update(tell_at=next_at)


def check_waiting(*, seconds: float = 8.0) -> bool:
    """Check waiting assignments for up to `seconds`. Return whether any may be left.

    Any number of workers may run this at once.
    """
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        waiting = Assignment.objects.filter(tell_at__lte=timezone.now()).order_by("tell_at", "pk")
        first = waiting.select_related("course").first()
        if first is None:
            return False
        _check_assignment(first.course, first.pk)
    return True


@transaction.atomic
def _check_assignment(course: Course, pk: int) -> None:
    course = lock_course(course)
    now = timezone.now()
    found = Assignment.objects.filter(pk=pk, course=course, tell_at__lte=now)
    assignment = found.select_related("sitting__quiz").first()
    if assignment is None:
        return  # somebody else was faster
    assignment.course = course
    if not course.archived and assignment.sitting.quiz.published:
        letters.post_due(assignment, _due_soon(assignment, now))
        if _shows_since_its_close(assignment.sitting, now):
            letters.post_released(assignment)
    assignment.tell_at = None
    Assignment.objects.filter(pk=pk).update(tell_at=None)
    schedule_check([assignment])
    if (ends := _runs_on_until(assignment.sitting, now)) and (
        assignment.tell_at is None or ends < assignment.tell_at
    ):
        Assignment.objects.filter(pk=pk).update(tell_at=ends)


def _due_soon(assignment: Assignment, now: datetime) -> dict[int, datetime]:
    """Return the deadlines within a day of students who have not submitted, by user."""
    done = set(
        letters.submitted_attempts([assignment.sitting_id]).values_list("student", flat=True)
    )
    exceptions = overrides_of_course(assignment.course)
    found = {}
    for member in letters.active_students(assignment.course):
        if member.user_id not in done:
            at = exceptions.chain(assignment, member).settings.ends_at
            if at and now < at <= now + REMIND_BEFORE:
                found[member.user_id] = at
    return found


def _shows_since_its_close(sitting: Sitting, now: datetime) -> bool:
    return sitting.release == Sitting.Release.AFTER_CLOSE and sitting.shows_results(now)


def _runs_on_until(sitting: Sitting, now: datetime) -> datetime | None:
    """Return when attempts that run past the close will have ended; None if there are none."""
    if sitting.release != Sitting.Release.AFTER_CLOSE or not sitting.has_closed_for_all(now):
        return None
    running = sitting.attempts.graded().open()
    if not running.exists():
        return None
    last = running.aggregate(last=Max("deadline"))["last"]
    return max(last or now, now) + RECHECK_AFTER


def _next_check(
    assignment: Assignment, dates: Iterable[datetime], now: datetime
) -> datetime | None:
    """Return the next moment at which there may be a letter to post."""
    return min((moment for moment in _moments(assignment, dates) if moment > now), default=None)


def _moments(assignment: Assignment, own: Iterable[datetime]) -> Iterator[datetime]:
    dates = [*filter(None, (assignment.due_at, assignment.sitting.closes_at)), *own]
    for at in dates:
        yield at - REMIND_BEFORE
    if assignment.sitting.release == Sitting.Release.AFTER_CLOSE:
        yield from dates
