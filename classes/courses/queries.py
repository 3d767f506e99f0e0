"""Queries for the list of classes."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Count
from django.db.models.functions import Coalesce

from classes.access.queries import count_students
from classes.models import Assignment
from quizzes.models import Attempt, Report


@dataclass(frozen=True)
class CourseFacts:
    """The students of a class, how many of them work now, open reports, and the next due date."""

    students: int = 0
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
        pk: CourseFacts(students.get(pk, 0), at_work.get(pk, 0), reported.get(pk, 0), due.get(pk))
        for pk in courses
    }


def _next_due(courses: Iterable[int], now: datetime) -> dict[int, Assignment]:
    """Return what of each class is due, or closes, next."""
    coming = Assignment.objects.annotate(ends=Coalesce("due_at", "sitting__closes_at"))
    coming = coming.filter(course__in=courses, course__archived=False, ends__gt=now)
    found: dict[int, Assignment] = {}
    for each in coming.select_related("sitting__quiz", "course").order_by("ends", "pk"):
        found.setdefault(each.course_id, each)
    return found
