"""Queries for the list of classes."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Count, Exists, OuterRef, Q, QuerySet
from django.db.models.functions import Coalesce
from django.utils import timezone

from classes.access.queries import count_students, courses_taught
from classes.assignments.queries import assignments_to_release
from classes.models import Assignment, Membership
from foundation.prepared import prepared
from quizzes.models import Attempt, Report, Submission


@dataclass(frozen=True)
class CourseFacts:
    """The students of a class, how many of them work now, open reports, and the next due date."""

    students: int = 0
    invited: int = 0
    working: int = 0
    reports: int = 0
    next_due: Assignment | None = None


def course_facts(courses: Iterable[int], now: datetime) -> dict[int, CourseFacts]:
    """Return the facts of each of these classes, in four queries however many there are."""
    courses = list(courses)
    attempts = Attempt.objects.graded().open().filter(sitting__assignment__course__in=courses)
    working = attempts.order_by().values_list("sitting__assignment__course")
    reports = Report.objects.filter(
        answered_at=None, item__attempt__sitting__assignment__course__in=courses
    )
    of_course = reports.order_by().values_list("item__attempt__sitting__assignment__course")
    students = count_students(courses)
    at_work = dict(working.annotate(Count("student", distinct=True)))
    reported = dict(of_course.annotate(Count("pk")))
    due = _next_due(courses, now)
    return {
        pk: CourseFacts(
            *students.get(pk, (0, 0)), at_work.get(pk, 0), reported.get(pk, 0), due.get(pk)
        )
        for pk in courses
    }


def count_waiting(user: Any) -> int:
    """Return how much waits in the classes whose students this user all sees, in one query.

    It counts open reports and attempts that could not be marked and, in classes that the user runs,
    marks to release and dates to check.
    """
    return len(_waiting(user, timezone.now()))


@prepared
def _waiting(user: Any, now: datetime) -> QuerySet[Any, int]:
    staff = courses_taught(user).filter(course__archived=False).order_by()
    sees_all = ~Q(role=Membership.Role.ASSISTANT) | Q(section="")
    seen = staff.filter(sees_all).values("course")
    run = staff.filter(role=Membership.Role.INSTRUCTOR).values("course")
    reports = Report.objects.filter(
        answered_at=None, item__attempt__sitting__assignment__course__in=seen
    )
    student = Membership.objects.filter(
        course=OuterRef("attempt__sitting__assignment__course"),
        user=OuterRef("attempt__student"),
        role=Membership.Role.STUDENT,
        state=Membership.State.ACTIVE,
    )
    unmarked = Submission.objects.final().filter(
        Exists(student),
        state=Submission.State.ATTENTION,
        attempt__sitting__assignment__course__in=seen,
    )
    to_release = assignments_to_release(now).filter(course__in=run)
    to_check = Assignment.objects.filter(dates_copied=True, course__in=run)
    parts = (reports, unmarked, to_release, to_check)
    keys = [part.order_by().values_list("pk", flat=True) for part in parts]
    return keys[0].union(*keys[1:], all=True)


def _next_due(courses: Iterable[int], now: datetime) -> dict[int, Assignment]:
    """Return what of each class is due, or closes, next."""
    coming = Assignment.objects.annotate(ends=Coalesce("due_at", "sitting__closes_at"))
    coming = coming.filter(course__in=courses, course__archived=False, ends__gt=now)
    found: dict[int, Assignment] = {}
    for each in coming.select_related("sitting__quiz", "course").order_by("ends", "pk"):
        found.setdefault(each.course_id, each)
    return found
