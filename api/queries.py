"""Queries of the API. A page's marks take a fixed number of queries."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime
from fractions import Fraction
from typing import Any

from django.db.models import Exists, F, OuterRef, PositiveIntegerField, Q, QuerySet
from django.db.models.functions import Coalesce

from api.models import Token
from classes.access.queries import CourseAccess, Role, courses_taught, own_access
from classes.models import Assignment, Course, Membership, Override
from classes.watching.queries import late_submissions
from foundation.tokens import hash_token
from quizzes.delivery.queries.counting import counting_attempts
from quizzes.models import Attempt, Grade, Quiz, Submission
from quizzes.written.queries import readable_keys

# Tokens


def tokens_owned_by(owner: Any) -> QuerySet[Token]:
    """Return a person's tokens, newest first."""
    return Token.objects.filter(owner=owner).select_related("course").order_by("-made_at", "-pk")


def classes_available_for_token(owner: Any) -> QuerySet[Course]:
    """Return the classes that a token of this owner can be for."""
    taught = courses_taught(owner).order_by().values("course")
    return Course.objects.filter(pk__in=taught).order_by("archived", "title", "pk")


def valid_token(secret: str, now: datetime) -> Token | None:
    """Return the valid token with this secret, or None.

    A token is valid until it expires, as long as its owner is active and teaches a class that it is
    for.
    """
    teaches = courses_taught(OuterRef("owner")).order_by()
    there = teaches.filter(course=OuterRef("course"))
    found = Token.objects.filter(
        Q(Exists(teaches), course=None) | Q(Exists(there)),
        secret=hash_token(secret),
        expires_at__gt=now,
        owner__is_active=True,
    )
    return found.select_related("owner").first()


# What a token reaches


def memberships_of(token: Token) -> QuerySet[Membership]:
    """Return the memberships in the token's classes through which its owner teaches or observes."""
    found = courses_taught(token.owner).order_by()
    return found.filter(course=token.course_id) if token.course_id else found


def access_of(token: Token, course: int) -> CourseAccess | None:
    """Return the owner's access to a class of the token, without administrators' rights."""
    if token.course_id not in (None, course):
        return None
    return own_access(token.owner, course)


def visible_members(access: CourseAccess, **wanted: str) -> QuerySet[Membership]:
    """Return present and former members visible to the owner. Empty filter values are ignored."""
    found = access.members().filter(**{name: value for name, value in wanted.items() if value})
    return found.select_related("user").prefetch_related("labels")


def visible_assignments(access: CourseAccess) -> QuerySet[Assignment]:
    """Return the class's assignments."""
    return Assignment.objects.filter(course=access.course).select_related("sitting__quiz")


def visible_exceptions(access: CourseAccess) -> QuerySet[Override]:
    """Return the exceptions of the class visible to the owner."""
    found = Override.objects.filter(course=access.course).select_related("label").order_by("pk")
    if access.sees_all:
        return found
    return found.filter(Q(member=None) | Q(member__in=access.members()))


def visible_quizzes(token: Token) -> QuerySet[Quiz]:
    """Return the quizzes of the token's classes, and for instructors all that they could assign."""
    taught = memberships_of(token)
    assignments = Assignment.objects.filter(course__in=taught.values("course"))
    seen = Q(pk__in=assignments.values("sitting__quiz"))
    to_give = Quiz.objects.visible_to(token.owner).filter(published=True)
    seen |= Q(Exists(taught.filter(role=Role.INSTRUCTOR)), pk__in=to_give.values("pk"))
    return Quiz.objects.filter(seen).prefetch_related("slots")


def visible_problems(token: Token, among: Iterable[str] | None = None) -> frozenset[str]:
    """Return the keys of problems in rows, these or all, that the token's owner may read."""
    return readable_keys(token.owner, among)


# Attempts, with what they earned


@dataclass(frozen=True)
class Marks:
    """The marks of a page of attempts, with the members and assignments that they belong to.

    Attributes:
        members: membership keys by student key.
        assignments: assignment keys by sitting key.
        marking: the state of each attempt's submission, by attempt key.
        late: keys of the attempts submitted after they were due, exceptions included.
        counting: keys of the attempts that count, of each student one at each assignment.
        grades: grades of marked attempts in the order of their questions, by attempt key.
    """

    members: dict[int, int]
    assignments: dict[int, int]
    marking: dict[int, str]
    late: set[int]
    counting: set[int]
    grades: dict[int, list[dict[str, Any]]] = field(default_factory=dict)


def visible_attempts(
    access: CourseAccess, *, assignment: int | None = None, member: int | None = None
) -> QuerySet[Attempt]:
    """Return graded attempts at the class's assignments by students visible to the owner.

    `assignment` and `member` narrow them to one of each.
    """
    assignments = Assignment.objects.filter(course=access.course)
    if assignment is not None:
        assignments = assignments.filter(pk=assignment)
    students = access.members().filter(role=Role.STUDENT).exclude(user=None)
    if member is not None:
        students = students.filter(pk=member)
    return Attempt.objects.graded().filter(
        sitting__in=assignments.values("sitting"), student__in=students.values("user")
    )


def marks_of_attempts(access: CourseAccess, attempts: list[Attempt], *, grades: bool) -> Marks:
    """Return the marks of these attempts, in as many queries as for a single one."""
    found = Assignment.objects.filter(
        course=access.course, sitting__in={each.sitting_id for each in attempts}
    )
    assignments = {each.sitting_id: each for each in found.select_related("sitting")}
    students = {each.student_id for each in attempts}
    places = Membership.objects.filter(course=access.course, user__in=students)
    members = {place.user_id: place for place in places}
    final = Submission.objects.final().filter(attempt__in=attempts).order_by()
    submissions = list(final.values_list("pk", "attempt", "state"))
    handed_in = [
        (each.pk, assignments[each.sitting_id], members[each.student_id].pk, each.student_id)
        + (each.submitted_at, each.deadline)
        for each in attempts
        if each.submitted_at
    ]
    marked = [pk for pk, _, state in submissions if state == Submission.State.GRADED]
    return Marks(
        members={user: place.pk for user, place in members.items()},
        assignments={sitting: each.pk for sitting, each in assignments.items()},
        marking={attempt: state for _, attempt, state in submissions},
        late=late_submissions(access.course, handed_in),
        counting=_counting(assignments, students),
        grades=_latest_grades(marked) if grades else {},
    )


def _counting(assignments: Iterable[int], students: set[int]) -> set[int]:
    """Return the keys of the attempts that count, of these students at these assignments."""
    found = counting_attempts().filter(sitting__in=assignments, student__in=students)
    return set(found.order_by().values_list("pk", flat=True))


_COLUMNS = {
    "attempt": F("answer__item__attempt"),
    "position": F("answer__item__position"),
    "family": F("answer__item__variant__family"),
    "question": F("answer__item__question__key"),
    "version": Coalesce(
        "answer__item__variant__version",
        "answer__item__question__version",
        output_field=PositiveIntegerField(),
    ),
}
_OWN = (
    *("answer", "revision", "points", "out_of", "verdict", "mistake", "steps"),
    *("core_version", "graded_at"),
)


def _latest_grades(submissions: list[int]) -> dict[int, list[dict[str, Any]]]:
    """Return the latest grade of each answer, by attempt key."""
    rows = Grade.objects.latest().filter(answer__submission__in=submissions)
    found: dict[int, list[dict[str, Any]]] = defaultdict(list)
    for row in rows.order_by("answer__item__position").values(*_OWN, **_COLUMNS):
        row["steps"] = [_serialize_step(step) for step in row["steps"]]
        found[row["attempt"]].append(row)
    return found


def _serialize_step(step: dict[str, Any]) -> dict[str, Any]:
    """Return a step without its internal keys, and with its exact points as floats."""
    exact = {name: float(Fraction(step[name])) for name in ("points", "out_of")}
    return {name: step[name] for name in ("key", "verdict", "mistake", "cells")} | exact
