"""Serializers: model rows as the dictionaries that the schemas describe."""

from typing import Any

from django.db.models import Model

from api.queries import Marks
from classes.assignments.services.assigning import RULES
from classes.assignments.services.exceptions import FIELDS
from classes.models import Assignment, Membership, Override
from quizzes.models import Attempt, Quiz, Slot


def serialize_class(place: Membership) -> dict[str, Any]:
    course = place.course
    return {
        **_columns(course, "id", "title", "time_zone", "first_day", "archived"),
        "role": place.role,
        "section": place.section if place.role == Membership.Role.ASSISTANT else "",
    }


def serialize_member(member: Membership) -> dict[str, Any]:
    user = member.user
    gone = user is not None and user.is_forgotten
    return {
        **_columns(member, "id", "role", "section", "state", "joined_at"),
        "name": (str(user) if gone else user.name) if user else member.name,
        "email": None if gone else member.address,
        "labels": [label.text for label in member.labels.all()],
    }


def serialize_assignment(assignment: Assignment) -> dict[str, Any]:
    sitting = assignment.sitting
    return {
        **_columns(assignment, "id", "due_at"),
        **_columns(sitting, "quiz_id", *RULES),
        "title": sitting.quiz.title,
    }


def serialize_attempt(attempt: Attempt, marks: Marks, *, grades: bool) -> dict[str, Any]:
    times = ("started_at", "deadline", "submitted_at", "closed_by_clock")
    return {
        **_columns(attempt, "id", "number", "state", "reopened", "score", "out_of", *times),
        "member_id": marks.members[attempt.student_id],
        "assignment_id": marks.assignments[attempt.sitting_id],
        "marking": marks.marking.get(attempt.pk),
        "late": attempt.pk in marks.late,
        "counts": attempt.pk in marks.counting,
        "grades": marks.grades.get(attempt.pk, []) if grades else None,
    }


def serialize_quiz(quiz: Quiz) -> dict[str, Any]:
    return {
        **_columns(quiz, "id", "slug", "title", "pass_mark", "published"),
        "slots": [_serialize_slot(slot) for slot in quiz.slots.all()],
    }


def _serialize_slot(slot: Slot) -> dict[str, Any]:
    return {
        **_columns(slot, "position", "points", "options", "family_version"),
        "family": slot.family or None,
        "topic": slot.topic or None,
    }


def serialize_exception(override: Override) -> dict[str, Any]:
    return {
        **_columns(override, "id", "assignment_id", "member_id", "reason", "version", *FIELDS),
        "label": override.label and override.label.text,
    }


def _columns(row: Model, *names: str) -> dict[str, Any]:
    return {name: getattr(row, name) for name in names}
