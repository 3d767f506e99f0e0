"""Queries for one person in a class: attempts, letters and events."""

from collections import defaultdict

from django.db.models import Q, QuerySet

from audit.models import Event
from audit.queries import events
from classes.access.queries import CourseAccess
from classes.assignments.queries import visible_overrides
from classes.models import Assignment, Course, Membership, Override
from classes.people.letters import invitations_to
from outbox.models import Message
from quizzes.models import Attempt


def attempts_by_sitting(student: int, sittings: list[int]) -> dict[int, list[Attempt]]:
    """Return a student's attempts at these sittings, first to last, by sitting."""
    found: dict[int, list[Attempt]] = defaultdict(list)
    attempts = Attempt.objects.graded().filter(student=student, sitting__in=sittings)
    for attempt in attempts.order_by("number"):
        found[attempt.sitting_id].append(attempt)
    return found


def overrides_for(access: CourseAccess, member: Membership) -> QuerySet[Override]:
    """Return the overrides for a member, for one of their labels, or for their section."""
    of_groups = Q(label__in=member.labels.all()) | Q(label__text=member.section)
    return visible_overrides(access).filter(Q(member=member) | of_groups)


def letters_to(member: Membership, assignments: list[Assignment]) -> QuerySet[Message]:
    """Return the letters about a class that its member was sent or will be, newest first."""
    about = Q(payload__assignment__in=[each.pk for each in assignments])
    about |= Q(payload__course=member.course_id)
    found = Message.objects.filter(about, to=member.user_id, kind__startswith="classes.")
    found = found | invitations_to([member.pk])
    return found.exclude(state=Message.State.DROPPED).order_by("-due", "-pk")


def events_about(course: Course, member: Membership) -> QuerySet[Event]:
    """Return the events of a class that changed a member, or were about them."""
    own = events(scope=course.scope, target=member)
    if member.user is None:
        return own
    return (own | events(scope=course.scope, person=member.user)).order_by("-at", "-pk")
