"""Queries for one person in a class: attempts, letters and events."""

from collections import defaultdict

from django.db.models import BooleanField, Exists, ExpressionWrapper, OuterRef, Q, QuerySet

from audit.models import Event
from audit.queries import events
from classes.access.queries import CourseAccess
from classes.assignments.queries import visible_overrides
from classes.assignments.services.mornings import WAITING
from classes.models import Assignment, Course, MemberNote, Membership, Override
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
    # What waits for staff names students, whom not everybody here may see.
    found = found.exclude(state=Message.State.DROPPED).exclude(kind=WAITING)
    return found.select_related("to").order_by("-due", "-pk")


def shared_letters(letters: QuerySet[Message]) -> set[int]:
    """Return the keys of the letters whose email also had messages about other things."""
    others = Message.objects.filter(
        to=OuterRef("to"), sent_at=OuterRef("sent_at"), text=OuterRef("text")
    ).exclude(pk__in=letters.order_by().values("pk"))
    sent = letters.filter(state=Message.State.SENT).exclude(text="")
    return set(sent.filter(Exists(others)).values_list("pk", flat=True))


def notes_about(access: CourseAccess, member: Membership) -> QuerySet[MemberNote]:
    """Return staff's notes about a member, newest first; none to the member, whatever their role.

    Each knows whether the user may remove it: their own, or any if they run the class.
    """
    if member.user_id == access.user.pk:
        return MemberNote.objects.none()
    own = Q(pk__isnull=False) if access.runs else Q(by=access.user)
    may = ExpressionWrapper(own, output_field=BooleanField())
    return MemberNote.objects.filter(member=member).select_related("by").annotate(is_own=may)


def events_about(course: Course, member: Membership) -> QuerySet[Event]:
    """Return the events of a class that changed a member, or were about them."""
    own = events(scope=course.scope, target=member)
    if member.user is None:
        return own
    return (own | events(scope=course.scope, person=member.user)).order_by("-at", "-pk")
