"""Queries for assignments, their progress and their overrides."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any
from zoneinfo import ZoneInfo

from django.db.models import Count, Min, Q, QuerySet
from django.db.models.functions import Coalesce, Lower
from django.utils.timezone import localtime

from classes.access.queries import (
    BY_FIRST,
    CURRENT_STATES,
    CourseAccess,
    Role,
    State,
    accounts_with,
    visible_reports,
)
from classes.models import Assignment, Course, Membership, Override
from foundation.folded_names import Bytewise
from quizzes.analysis.queries import SittingAnswers, marked_attempts
from quizzes.models import Attempt, Quiz, Sitting, Submission


def assignments_of(course: Course) -> QuerySet[Assignment]:
    """Return the assignments of a class with sittings and quizzes, earliest due first."""
    found = Assignment.objects.filter(course=course).select_related("sitting__quiz")
    when = Coalesce("due_at", "sitting__closes_at", "sitting__opens_at")
    return found.order_by(when.asc(nulls_last=True), Lower("sitting__quiz__title"), "pk")


def first_date(course: Course) -> date | None:
    """Return the day, in the class's time zone, of the earliest date of any assignment."""
    dates = ("due_at", "sitting__opens_at", "sitting__closes_at")
    found = Assignment.objects.filter(course=course).aggregate(*map(Min, dates))
    dates = [at for at in found.values() if at]
    return min(dates).astimezone(ZoneInfo(course.time_zone)).date() if dates else None


def assignment_of(access: CourseAccess, pk: int) -> Assignment | None:
    return assignments_of(access.course).filter(pk=pk).first()


def assignable_quizzes(user: Any) -> QuerySet[Quiz]:
    """Return the published quizzes the user may read, in the order of the lessons."""
    return Quiz.objects.visible_to(user).filter(published=True).order_by("lesson__order", "title")


def progress_at(
    access: CourseAccess, assignments: Iterable[Assignment]
) -> dict[int, dict[str, int]]:
    """Return, by sitting, how many students visible to the user began, submitted and work now."""
    seen = _active_students(access).values("user")
    attempts = Attempt.objects.graded().filter(
        sitting__in=[assignment.sitting_id for assignment in assignments], student__in=seen
    )
    is_done = Q(state=Attempt.State.SUBMITTED)
    counted = (
        attempts.order_by()
        .values("sitting")
        .annotate(
            begun=Count("student", distinct=True),
            handed_in=Count("student", distinct=True, filter=is_done),
            working=Count("student", distinct=True, filter=~is_done),
        )
    )
    return {each["sitting"]: each for each in counted}


def _active_students(access: CourseAccess) -> QuerySet[Membership]:
    return access.members().filter(role=Role.STUDENT, state=State.ACTIVE)


def still_to_take(access: CourseAccess, assignment: Assignment) -> list[Membership]:
    """Return the students, by name, who have submitted nothing or work on an attempt now."""
    attempts = Attempt.objects.graded().filter(sitting=assignment.sitting_id)
    submitted = attempts.filter(state=Attempt.State.SUBMITTED).values("student")
    missing = ~Q(user__in=submitted) | Q(user__in=attempts.open().values("student"))
    return list(_active_students(access).filter(missing).select_related("user").order_by(BY_FIRST))


# What waits for the class's staff


@dataclass(frozen=True)
class Needs:
    """The work that a class has for its staff.

    Attributes:
        reports: the number of open reports on questions.
        attention: the number of attempts that could not be marked, by assignment.
        unreleased: assignments that are over and whose marks are to be released by hand.
        unchecked: assignments whose dates were copied from another term.
        ending: assignments that close within the day, for everybody or for some.
        silent: students who have started nothing, once a first quiz has closed.
    """

    reports: int
    attention: dict[int, int]
    unreleased: list[Assignment]
    unchecked: list[Assignment]
    ending: list[Assignment]
    silent: list[Membership]


def assignments_to_release(now: datetime) -> QuerySet[Assignment]:
    """Return what has closed for everyone, and whose marks somebody has yet to release."""
    over = Q(sitting__last_closes_at=None) | Q(sitting__last_closes_at__lte=now)
    by_hand = Q(sitting__release=Sitting.Release.BY_HAND, sitting__released=False)
    return Assignment.objects.filter(over & by_hand, sitting__closes_at__lte=now)


def needs_of(access: CourseAccess, assignments: Sequence[Assignment], now: datetime) -> Needs:
    """Return what of these assignments, and of the class, waits for staff with this access."""
    attempts = Attempt.objects.graded().filter(
        sitting__in=[each.sitting_id for each in assignments],
        student__in=_active_students(access).values("user"),
    )
    unmarked = Submission.objects.final().filter(
        attempt__in=attempts, state=Submission.State.ATTENTION
    )
    counted = unmarked.order_by().values_list("attempt__sitting__assignment").annotate(Count("pk"))
    over = [each for each in assignments if each.sitting.has_closed_for_all(now)]
    waiting = assignments_to_release(now).filter(course=access.course) if over else ()
    silent = _active_students(access).exclude(user__in=attempts.values("student"))
    return Needs(
        reports=visible_reports(access).filter(answered_at=None).count(),
        attention=dict(counted),
        unreleased=[each for each in over if each in waiting],
        unchecked=[each for each in assignments if each.dates_copied],
        ending=[each for each in assignments if _ends_today(each.sitting, now)],
        silent=list(silent.select_related("user").order_by(BY_FIRST)) if over else [],
    )


def _ends_today(sitting: Sitting, now: datetime) -> bool:
    today = localtime(now).date()
    ends = [at for at in (sitting.closes_at, sitting.last_closes_at) if at and at > now]
    return any(localtime(at).date() == today for at in ends)


def latest_marks(
    access: CourseAccess, assignments: Iterable[Assignment], now: datetime
) -> tuple[Assignment, SittingAnswers] | None:
    """Return the assignment that closed last, with the marks of the students visible to the user.

    None if none has closed, or nobody's attempt at it is marked.
    """
    over = [each for each in assignments if each.sitting.has_closed_for_all(now)]
    if not over:
        return None
    last = max(over, key=lambda each: _closed_at(each.sitting))
    marked = marked_attempts(last.sitting, _active_students(access).values("user"))
    return (last, marked) if marked.attempts else None


def _closed_at(sitting: Sitting) -> datetime:
    return max(sitting.closes_at, sitting.last_closes_at or sitting.closes_at)


# Overrides


def visible_overrides(
    access: CourseAccess, assignment: Assignment | None = None
) -> QuerySet[Override]:
    """Return the overrides visible to the user, labels first, or those for an assignment."""
    found = Override.objects.filter(course=access.course)
    if assignment is not None:
        found = found.filter(Q(assignment=assignment) | Q(assignment=None))
    if not access.sees_all:
        found = found.filter(Q(member=None) | Q(member__in=access.members()))
    found = found.select_related("member__user", "label", "assignment__sitting__quiz")
    return found.order_by(
        "label__text",
        Bytewise(Coalesce("member__user__folded", "member__folded")),
        "assignment",
        "pk",
    )


def can_change_override(access: CourseAccess, override: Override) -> bool:
    """Return whether the user may change a visible override; a label's needs the whole class."""
    return access.helps and (access.sees_all or override.member_id is not None)


def students_by_address(access: CourseAccess, addresses: Sequence[str]) -> dict[str, Membership]:
    """Return the students visible to the user who have one of these addresses, by address."""
    students = (
        access.members().filter(role=Role.STUDENT, state__in=CURRENT_STATES).select_related("user")
    )
    accounts = {address: found.pk for address, found in accounts_with(addresses).items()}
    by_user = {
        member.user_id: member for member in students.filter(user__in=set(accounts.values()))
    }
    found = {address: by_user[user] for address, user in accounts.items() if user in by_user}
    # The address on the list of people, confirmed or not.
    listed = Q(email__in=addresses) | Q(user__email__in=addresses)
    return found | {member.address: member for member in students.filter(listed)}


def visible_student(access: CourseAccess, pk: int) -> Membership | None:
    """Return a student visible to the user."""
    found = access.members().filter(pk=pk, role=Role.STUDENT)
    return found.select_related("user").first()


def visible_labels(access: CourseAccess) -> Any:
    """Return the labels for which the user may create overrides."""
    labels = access.course.labels
    return labels.all() if access.sees_all else labels.none()
