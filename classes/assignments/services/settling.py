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
    """Update what depends on the settings of these assignments, or of all in the class.

    That is closing times, reminders and open attempts, whose changes are returned. The caller has
    locked the class, and its transaction goes on.

    Args:
        may_shorten: whether deadlines of open attempts may move to an earlier time too.
    """
    if assignments is None:
        assignments = Assignment.objects.filter(course=course).select_related("sitting__quiz")
    assignments = list(assignments)
    _update_last_closes(course, assignments)
    now = timezone.now()
    Assignment.objects.filter(pk__in=[each.pk for each in assignments]).update(changed_at=now)
    schedule_check(assignments)
    return _update_deadlines(course, assignments, may_shorten)


def _update_last_closes(course: Course, assignments: list[Assignment]) -> None:
    """Set each sitting's `last_closes_at` to the latest close among its overrides, or none.

    Results that are released at the close wait for it.
    """
    states = [Membership.State.ACTIVE, Membership.State.INVITED]
    of_members = Q(label__memberships__state__in=states) | Q(member__state__in=states)
    current = Membership.objects.filter(course=course, state__in=states)
    of_members |= Q(label__text__in=current.exclude(section="").values("section"))
    closing = Override.objects.filter(of_members, course=course, closes_at__isnull=False)
    latest = dict(closing.order_by().values_list("assignment").annotate(Max("closes_at")))
    for assignment in assignments:
        last = latest.get(assignment.pk)
        if assignment.sitting.last_closes_at != last:
            assignment.sitting.last_closes_at = last
            Sitting.objects.filter(pk=assignment.sitting_id).update(last_closes_at=last)


def _update_deadlines(
    course: Course, assignments: list[Assignment], may_shorten: bool
) -> DeadlineChanges:
    """Give open attempts the settings that now apply to their students. Return the changes."""
    sittings = [each.sitting_id for each in assignments]
    attempts = Attempt.objects.open().filter(sitting__in=sittings)
    students: dict[int, set[int]] = {}
    for sitting, student in attempts.values_list("sitting", "student"):
        students.setdefault(sitting, set()).add(student)
    done = DeadlineChanges()
    if not students:
        return done
    overrides = overrides_of_course(course)
    found = Membership.objects.filter(course=course, user__in=set().union(*students.values()))
    members = {member.user_id: member for member in found}
    for assignment in assignments:
        settings = {
            student: overrides.chain(assignment, members[student]).settings
            for student in students.get(assignment.sitting_id, ())
            if student in members
        }
        if settings:
            changed = change_settings(
                sitting=assignment.sitting, settings=settings, may_shorten=may_shorten
            )
            done.changed += changed.changed
            done.kept += changed.kept
    return done
