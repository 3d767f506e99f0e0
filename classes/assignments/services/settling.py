"""Consequences of changed settings for sittings, running attempts and reminders."""

from collections.abc import Iterable

from django.db.models import Max, Q
from django.utils import timezone

from classes.assignments.effective_settings import overrides_of_course
from classes.assignments.services.reminders import schedule_check
from classes.models import Assignment, Course, Membership, Override
from quizzes.delivery.services.deadlines import DeadlineChanges, change_settings
from quizzes.models import Attempt, Sitting


def apply_settings(
    course: Course, assignments: Iterable[Assignment] | None = None, *, may_shorten: bool = False
) -> DeadlineChanges:
    """Apply the current rules and overrides of these, or all, assignments of a class.

    Updates last closing times, reminders and running attempts, in the caller's transaction with the
    class locked.
    """
    if assignments is None:
        assignments = Assignment.objects.filter(course=course).select_related("sitting__quiz")
    assignments = list(assignments)
    _settle_closes(course, assignments)
    now = timezone.now()
    Assignment.objects.filter(pk__in=[each.pk for each in assignments]).update(changed_at=now)
    schedule_check(assignments)
    return _settle_running(course, assignments, may_shorten)


def _settle_closes(course: Course, assignments: list[Assignment]) -> None:
    """Set each sitting's last closing time: results released at the close wait for it."""
    here = [Membership.State.ACTIVE, Membership.State.INVITED]
    concern = Q(label__memberships__state__in=here) | Q(member__state__in=here)
    own = Override.objects.filter(concern, course=course, closes_at__isnull=False).order_by()
    latest = dict(own.values_list("assignment").annotate(Max("closes_at")))
    for assignment in assignments:
        last = latest.get(assignment.pk)
        if assignment.sitting.last_closes_at != last:
            assignment.sitting.last_closes_at = last
            Sitting.objects.filter(pk=assignment.sitting_id).update(last_closes_at=last)


def _settle_running(
    course: Course, assignments: list[Assignment], may_shorten: bool
) -> DeadlineChanges:
    sittings = [each.sitting_id for each in assignments]
    running = Attempt.objects.open().filter(sitting__in=sittings)
    at: dict[int, set[int]] = {}
    for sitting, student in running.values_list("sitting", "student"):
        at.setdefault(sitting, set()).add(student)
    done = DeadlineChanges()
    if not at:
        return done
    exceptions = overrides_of_course(course)
    working = Membership.objects.filter(course=course, user__in=set().union(*at.values()))
    members = {member.user_id: member for member in working}
    for assignment in assignments:
        settings = {
            student: exceptions.chain(assignment, members[student]).settings
            for student in at.get(assignment.sitting_id, ())
            if student in members
        }
        if settings:
            changed = change_settings(
                sitting=assignment.sitting, settings=settings, may_shorten=may_shorten
            )
            done.changed += changed.changed
            done.kept += changed.kept
    return done
