"""Classes for the students made by `manage.py fill`, to measure pages with them.

Each student is in one class, whose assignments are the quizzes they have taken; the dates of the
assignments do not match the attempts.
"""

from collections.abc import Iterator, Sequence
from datetime import timedelta
from decimal import Decimal
from itertools import batched
from typing import Any

from django.contrib.auth import get_user_model
from django.db import connection, transaction
from django.utils import timezone

from audit.models import Event
from classes import codes
from classes.access.queries import Role
from classes.models import Assignment, Course, Label, Membership, Override
from demo.people import create_people
from quizzes.bulk import insert_rows
from quizzes.models import Quiz, Sitting

# Addresses of the students made by `manage.py fill` end so; those of their teachers begin so.
FILLED_DOMAIN = "@fill.example"
TEACHER = "teacher-"
# Classes of each teacher; the first class has a tenth of all students.
CLASSES_PER_TEACHER = 10
SECTIONS = ("A", "B", "C", "D")
LABELS = ("extra time", "second time", "abroad")
# One student in this many has an override of their own.
STUDENTS_PER_OVERRIDE = 20
IN_USE = timedelta(days=2 * 365)
BATCH = 5000
_EVENT = ("at", "actor", "verb", "person", "scope", "before", "after", "reason") + (
    *("target_type", "target_id", "target_words"),
)


def fill_classes(*, classes: int, events: int) -> Iterator[str]:
    """Create classes, and events in them; yield lines that describe what was created.

    Nobody else may use the site meanwhile. Without students who are in no class it creates none.
    """
    students = list(_students_without_class())
    quizzes = list(Quiz.objects.filter(published=True).order_by("pk"))
    if not (students and quizzes):
        return
    with transaction.atomic():
        courses = _courses(classes)
        members = _members(courses, students)
        assignments = _assignments(courses, quizzes)
        _create_overrides(courses, members, assignments)
        moved = _move_attempts(courses)
    yield f"{len(courses)} classes, {len(members)} members"
    yield f"{len(assignments)} assignments, {moved} attempts"
    made = 0
    for batch in batched(range(events), BATCH, strict=False):
        _events(batch, courses, members)
        made += len(batch)
    yield f"{made} events"
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")


def _students_without_class() -> Iterator[int]:
    found = get_user_model().objects.filter(email__endswith=FILLED_DOMAIN, memberships=None)
    return found.exclude(email__startswith=TEACHER).order_by("pk").values_list("pk", flat=True)


def _courses(count: int) -> list[Course]:
    first = Course.objects.count() + 1
    return Course.objects.bulk_create(
        [
            Course(
                title=f"Class {number}",
                time_zone="Europe/London",
                code=codes.draw(),
                created_at=timezone.now() - IN_USE,
            )
            for number in range(first, first + count)
        ]
    )


def _members(courses: Sequence[Course], students: Sequence[int]) -> list[Membership]:
    """Put a tenth of the students into the first class and spread the others; add teachers."""
    big = len(students) // 10 if len(courses) > 1 else len(students)
    others = courses[1:] or courses
    places = [(courses[0], student) for student in students[:big]]
    places += [(others[n % len(others)], student) for n, student in enumerate(students[big:])]
    members = [
        Membership(
            course=course,
            user_id=student,
            section=SECTIONS[n % len(SECTIONS)],
            joined_at=course.created_at,
        )
        for n, (course, student) in enumerate(places)
    ]
    teachers = _teachers(-(-len(courses) // CLASSES_PER_TEACHER) + 1)
    for n, course in enumerate(courses):
        own, helping = teachers[n // CLASSES_PER_TEACHER], teachers[n // CLASSES_PER_TEACHER + 1]
        members.append(Membership(course=course, user=own, role=Role.INSTRUCTOR))
        members.append(Membership(course=course, user=helping, role=Role.ASSISTANT))
    made = Membership.objects.bulk_create(members, batch_size=BATCH)
    _label(courses, made)
    return made


def _teachers(count: int) -> list[Any]:
    there = get_user_model().objects.filter(email__startswith=TEACHER).count()
    return create_people(
        (f"{TEACHER}{number}{FILLED_DOMAIN}", f"Teacher {number}")
        for number in range(there + 1, there + count + 1)
    )


def _label(courses: Sequence[Course], members: Sequence[Membership]) -> None:
    made = Label.objects.bulk_create(
        Label(course=course, text=text) for course in courses for text in LABELS
    )
    own = {(label.course_id, label.text): label for label in made}
    worn = Membership.labels.through
    worn.objects.bulk_create(
        (
            worn(
                membership_id=member.pk,
                label_id=own[member.course_id, LABELS[n // 7 % len(LABELS)]].pk,
            )
            for n, member in enumerate(members)
            if n % 7 == 0 and member.role == Role.STUDENT
        ),
        batch_size=BATCH,
    )


def _assignments(courses: Sequence[Course], quizzes: Sequence[Quiz]) -> list[Assignment]:
    """Assign every quiz to each class: the last one is open now, the others are over."""
    now = timezone.now()
    week = timedelta(days=7)
    sittings = Sitting.objects.bulk_create(
        [
            Sitting(
                quiz=quiz,
                given_in=course.title,
                open_to_all=False,
                opens_at=now - (len(quizzes) - place) * week + week / 2,
                closes_at=now - (len(quizzes) - place - 1) * week + week / 2,
            )
            for course in courses
            for place, quiz in enumerate(quizzes)
        ],
        batch_size=BATCH,
    )
    owners = [course for course in courses for _quiz in quizzes]
    return Assignment.objects.bulk_create(
        [
            Assignment(course=course, sitting=sitting, due_at=sitting.closes_at - week / 7)
            for course, sitting in zip(owners, sittings, strict=True)
        ],
        batch_size=BATCH,
    )


def _create_overrides(
    courses: Sequence[Course], members: Sequence[Membership], assignments: Sequence[Assignment]
) -> None:
    """Add overrides for a label in each class, and for some students there or at one quiz."""
    labels = Label.objects.filter(course__in=courses, text=LABELS[0])
    made = [
        Override(course_id=label.course_id, label=label, factor=Decimal("1.5")) for label in labels
    ]
    last = {assignment.course_id: assignment for assignment in assignments}
    some = [member for member in members if member.role == Role.STUDENT][::STUDENTS_PER_OVERRIDE]
    for n, member in enumerate(some):
        own = Override(course_id=member.course_id, member=member, reason="A reason")
        if n % 2:
            own.factor = Decimal("1.25")
        else:
            own.assignment, own.attempts_allowed = last[member.course_id], 3
        made.append(own)
    Override.objects.bulk_create(made, batch_size=BATCH)


def _move_attempts(courses: Sequence[Course]) -> int:
    """Move the attempts of the classes' students to the classes' sittings. Return their number."""
    with connection.cursor() as cursor:
        for statement in _WHERE_TAKEN:
            cursor.execute(statement, [courses[0].pk] if "%s" in statement else None)
        moved = cursor.rowcount
        cursor.execute(_ASKED_THERE)
    return moved


# A temporary table, analysed because the planner has no statistics on freshly filled tables.
_WHERE_TAKEN = (
    "DROP TABLE IF EXISTS where_taken",
    """
    CREATE TEMPORARY TABLE where_taken AS
    SELECT member.user_id, sitting.quiz_id, sitting.id AS sitting_id
    FROM classes_membership member
    JOIN classes_assignment assignment ON assignment.course_id = member.course_id
    JOIN quizzes_sitting sitting ON sitting.id = assignment.sitting_id
    WHERE member.role = 'student' AND member.course_id >= %s
    """,
    "CREATE INDEX where_taken_by ON where_taken (user_id, quiz_id)",
    "ANALYZE where_taken",
    """
    UPDATE quizzes_attempt SET sitting_id = where_taken.sitting_id FROM where_taken
    WHERE where_taken.user_id = student_id AND where_taken.quiz_id = quizzes_attempt.quiz_id
        AND mode = 'graded'
    """,
)
_ASKED_THERE = """
    INSERT INTO quizzes_askedquestion (sitting_id, question_id)
    SELECT DISTINCT attempt.sitting_id, item.question_id
    FROM quizzes_item item JOIN quizzes_attempt attempt ON attempt.id = item.attempt_id
    WHERE item.question_id IS NOT NULL
        AND attempt.sitting_id IN (SELECT sitting_id FROM where_taken)
    ON CONFLICT DO NOTHING
"""


def _events(numbers: Sequence[int], courses: Sequence[Course], members: Sequence[Membership]):
    """Insert events about one member after the other, up to an hour ago."""
    until, step = timezone.now() - timedelta(hours=1), timedelta(seconds=30)
    teachers = {
        member.course_id: member.user_id for member in members if member.role == Role.INSTRUCTOR
    }
    scopes = {course.pk: course.scope for course in courses}
    was, now = {"section": SECTIONS[0]}, {"section": SECTIONS[1]}
    rows = []
    for number in reversed(numbers):
        member = members[number * 7919 % len(members)]
        rows.append(
            (
                until - number * step,
                teachers[member.course_id],
                "classes.member.changed",
                member.user_id,
                scopes[member.course_id],
                was,
                now,
                "",
                "classes.membership",
                str(member.pk),
                f"member {member.pk}",
            )
        )
    with transaction.atomic():
        insert_rows(Event, _EVENT, rows)
