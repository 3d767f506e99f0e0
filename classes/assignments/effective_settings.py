"""The effective settings of students for the assignments of their classes.

This module is a provider registered with `quizzes.delivery.effective_settings`.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any

from django.db.models import (
    Count,
    Exists,
    F,
    FilteredRelation,
    OuterRef,
    Q,
    QuerySet,
    Subquery,
    Value,
)

from classes.access.names import distinct_names
from classes.assignments.precedence import ResolvedSettings, resolve_date, resolve_settings
from classes.models import DATE_FIELDS, Assignment, Course, Membership, Override
from foundation.prepared import prepared
from quizzes.authoring.queries import with_last_deadline
from quizzes.delivery.effective_settings import (
    Due,
    EffectiveSettings,
    UnfinishedQuiz,
    extra_time_for,
)
from quizzes.models import Attempt, ExtraTime, Quiz, Sitting, graded_condition

Role, State = Membership.Role, Membership.State
STUDENT = {"role": Role.STUDENT, "state": State.ACTIVE}
# Students who may start within this time are expected now.
EXPECTED_WITHIN = timedelta(hours=1)


def given_to(student: Any, quizzes: Iterable[Quiz] | None = None) -> list[EffectiveSettings]:
    """Return the student's effective settings for each of their assignments, or at these quizzes.

    Part of the provider's interface.
    """
    wanted = None if quizzes is None else {quiz.pk for quiz in quizzes}
    assigned = _sittings_of(student)
    sittings = [sitting for sitting in assigned if wanted is None or sitting.quiz_id in wanted]
    if not sittings:
        return []
    names = distinct_names(sitting.assignment.course for sitting in assigned)
    overrides = _overrides_for(student)
    at_every_quiz = extra_time_for(student)
    found = []
    for sitting in sittings:
        sitting.assignment.sitting = sitting
        own = [each for each in overrides if each.course_id == sitting.assignment.course_id]
        settings = resolve_settings(sitting.assignment, own, at_every_quiz).settings
        course = sitting.assignment.course
        found.append(replace(settings, time_zone=course.time_zone, course=names[course.pk]))
    return found


def course_names(student: Any) -> dict[int, str]:
    """Return the names of the student's classes, told apart, by the keys of the sittings there.

    Part of the provider's interface.
    """
    places = _titled_sittings_of(student)
    names = {course: title for _sitting, course, title in places}
    # Only to tell equal titles apart it takes more of a class than its title.
    if len(set(names.values())) < len(names):
        names = distinct_names(Course.objects.filter(pk__in=names))
    return {sitting: names[course] for sitting, course, _title in places}


@prepared
def _titled_sittings_of(student: Any) -> QuerySet:
    return _assigned_to(student).values_list(
        "pk", "assignment__course", "assignment__course__title"
    )


def due_for(student: Any, sitting: Sitting) -> Due | None:
    """Return when a student's work is due, even if they left or the class is archived.

    Part of the provider's interface.
    """
    assignment = Assignment.objects.filter(sitting=sitting).select_related("course").first()
    if assignment is None:
        return None
    assignment.sitting = sitting
    places = Membership.objects.filter(user=student, course=assignment.course)
    concern = Q(member__user=student) | Q(label__memberships__user=student)
    concern |= Q(label__text__in=places.values("section"))
    own = Override.objects.filter(concern, assignment=assignment, due_at__isnull=False).distinct()
    resolved = resolve_settings(assignment, list(own.order_by("pk")), None)
    return Due(resolved.value("due_at"), assignment.course.time_zone)


@prepared
def _sittings_of(student: Any) -> QuerySet[Sitting]:
    sittings = _assigned_to(student).select_related("quiz__lesson", "assignment__course")
    return with_last_deadline(sittings.order_by("assignment__due_at", "pk"))


def _assigned_to(student: Any) -> QuerySet[Sitting]:
    return Sitting.objects.filter(
        assignment__course__in=_places_of(student).values("course"),
        assignment__course__archived=False,
        quiz__published=True,
    )


def _places_of(student: Any) -> QuerySet[Membership]:
    return Membership.objects.filter(user=student, **STUDENT)


@prepared
def _overrides_for(student: Any) -> QuerySet[Override]:
    return Override.objects.filter(_concerns(student)).order_by("pk")


def _concerns(student: Any, override: str = "") -> Q:
    """Return the condition that overrides apply to a student, directly, by label or section."""
    places = _places_of(student)
    sections = places.filter(course__labels__text=F("section"))
    labels = Membership.labels.through.objects.filter(membership__in=places.values("pk"))
    return (
        Q(**{f"{override}member__in": Subquery(places.values("pk"))})
        | Q(**{f"{override}label__in": Subquery(labels.values("label"))})
        | Q(**{f"{override}label__in": Subquery(sections.values("course__labels"))})
    )


def unfinished(student: Any) -> list[UnfinishedQuiz]:
    """Return the quizzes assigned to the student that they have not begun, or not submitted.

    Part of the provider's interface.
    """
    found: dict[int, UnfinishedQuiz] = {}
    overrides: defaultdict[int, list[Override]] = defaultdict(list)
    # A quiz has a row for each of the student's exceptions there.
    for row in _unfinished_at(student):
        read = dict(zip(_COLUMNS, row, strict=True))
        quiz, running, override = (
            {field: read[column] for field, column in columns.items()}
            for columns in (_OF_QUIZ, _OF_ATTEMPT, _OF_OVERRIDE)
        )
        sitting = quiz["sitting"]
        if sitting not in found:
            attempt = Attempt(**running) if running["pk"] else None
            found[sitting] = UnfinishedQuiz(**quiz, attempt=attempt)
        if override["assignment_id"]:
            overrides[sitting].append(Override(**override))
    for sitting, own in overrides.items():
        quiz = found[sitting]
        dates = {name: resolve_date(name, own, getattr(quiz, name)) for name in DATE_FIELDS}
        found[sitting] = replace(quiz, **dates)
    return list(found.values())


# The columns that fill the fields of an UnfinishedQuiz, its attempt and an exception.
_OF_QUIZ = {
    "sitting": "pk",
    "quiz": "quiz__title",
    "slug": "quiz__slug",
    "lesson": "quiz__lesson",
    "time_zone": "assignment__course__time_zone",
    "opens_at": "opens_at",
    "due_at": "assignment__due_at",
    "closes_at": "closes_at",
}
_OF_ATTEMPT = {"pk": "open__pk", "deadline": "open__deadline"}
_OF_OVERRIDE = {
    name: f"override__{name}" for name in ("assignment_id", "member_id", "label_id", *DATE_FIELDS)
}
_COLUMNS = (*_OF_QUIZ.values(), *_OF_ATTEMPT.values(), *_OF_OVERRIDE.values())


@prepared
def _unfinished_at(student: Any) -> QuerySet:
    overrides = "assignment__overrides"
    begun = Attempt.objects.graded().filter(student=student, sitting=OuterRef("pk"))
    is_open = graded_condition("attempts__") & Q(
        attempts__state=Attempt.State.OPEN, attempts__student=student
    )
    sittings = _assigned_to(student).annotate(
        open=FilteredRelation("attempts", condition=is_open),
        override=FilteredRelation(overrides, condition=_concerns(student, f"{overrides}__")),
    )
    unfinished = sittings.filter(Q(open__isnull=False) | ~Exists(begun)).order_by("pk")
    return unfinished.values_list(*_COLUMNS)


@dataclass
class CourseOverrides:
    """All overrides of a class, loaded for any of its students."""

    overrides: list[Override]
    labels: Mapping[int, set[str]] = field(default_factory=dict)  # and sections, by member
    at_every_quiz: Mapping[int, ExtraTime] = field(default_factory=dict)

    def concerning(self, member: Membership) -> list[Override]:
        worn = self.labels.get(member.pk, set())
        return [
            each
            for each in self.overrides
            if each.member_id == member.pk or (each.label and each.label.text in worn)
        ]

    def chain(self, assignment: Assignment, member: Membership) -> ResolvedSettings:
        """Return the effective settings of a member at an assignment with a loaded sitting."""
        extra = self.at_every_quiz.get(member.user_id) if member.user_id else None
        return resolve_settings(assignment, self.concerning(member), extra)


def overrides_of_course(course: Course) -> CourseOverrides:
    """Load the overrides of a class, in three queries however many students it has."""
    overrides = Override.objects.filter(course=course).select_related("member__user", "label")
    named = {each.label_id: each.label.text for each in overrides if each.label}
    worn = Membership.labels.through.objects.filter(label__in=named).order_by()
    placed = Membership.objects.filter(course=course, section__in=named.values()).order_by()
    labels: dict[int, set[str]] = defaultdict(set)
    for member, label in worn.values_list("membership", "label__text").union(
        placed.values_list("pk", "section")
    ):
        labels[member].add(label)
    extra = ExtraTime.objects.filter(attempt=None, student__memberships__course=course).order_by(
        "pk"
    )
    return CourseOverrides(
        list(overrides.order_by("pk")), labels, {each.student_id: each for each in extra}
    )


def effective_settings_by_user(
    assignment: Assignment, members: Iterable[Membership]
) -> dict[int, EffectiveSettings]:
    """Return the effective settings of these members at an assignment, by their account's key."""
    exceptions = overrides_of_course(assignment.course)
    return {
        member.user_id: exceptions.chain(assignment, member).settings
        for member in members
        if member.user_id
    }


def expected(now: datetime) -> dict[int, int]:
    """Return, by quiz, how many students have not begun an assignment open within the next hour.

    Part of the provider's interface.
    """
    soon = now + EXPECTED_WITHIN
    assignments = Assignment.objects.filter(
        Q(sitting__opens_at=None) | Q(sitting__opens_at__lte=soon),
        Q(sitting__closes_at=None) | Q(sitting__closes_at__gt=now),
        course__archived=False,
        sitting__quiz__published=True,
    )
    places = Membership.objects.filter(course=OuterRef("course"), **STUDENT)
    begun = Attempt.objects.filter(sitting=OuterRef("sitting"), number=1)
    counted = assignments.annotate(students=_count_of(places), begun=_count_of(begun))
    waiting: Counter[int] = Counter()
    for quiz, students, there in counted.values_list("sitting__quiz", "students", "begun"):
        waiting[quiz] += max(0, (students or 0) - (there or 0))
    return waiting


def _count_of(rows: QuerySet) -> Subquery:
    counted = rows.order_by().annotate(of=Value(1)).values("of").annotate(count=Count("pk"))
    return Subquery(counted.values("count"))
