"""Services that assign quizzes to a class, and change, release and withdraw assignments."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from audit.changes import changed_values, field_values
from classes.access.queries import CourseAccess
from classes.access.services import lock_course, record_course_event
from classes.assignments import letters
from classes.assignments.services.reminders import schedule_check
from classes.assignments.services.settling import apply_settings
from classes.errors import Outdated, Refused
from classes.models import Assignment, Course
from foundation.minutes import minute_or_none
from quizzes.delivery.services.deadlines import DeadlineChanges
from quizzes.models import Quiz, Sitting

RULES = (
    *("opens_at", "closes_at", "minutes", "attempts_allowed"),
    *("counts", "practice", "release"),
)


@dataclass(frozen=True, kw_only=True)
class Rules:
    """The rules under which a class takes a quiz."""

    opens_at: datetime | None
    due_at: datetime | None
    closes_at: datetime | None
    minutes: int
    attempts_allowed: int | None
    counts: str = Sitting.Counts.BEST
    practice: bool = False
    release: str = Sitting.Release.AT_ONCE

    def __post_init__(self) -> None:
        opens, due, closes = map(minute_or_none, (self.opens_at, self.due_at, self.closes_at))
        if opens and closes and closes <= opens:
            raise Refused(_("The quiz must close after it opens."))
        if opens and due and due <= opens:
            raise Refused(_("The due date must be after the quiz opens."))
        if due and closes and closes < due:
            raise Refused(_("The quiz can’t close before it’s due."))
        if self.release == Sitting.Release.AFTER_CLOSE and not closes:
            raise Refused(_("Marks are shown after the quiz closes, so enter a closing date."))


@transaction.atomic
def assign(
    *, access: CourseAccess, quiz: Quiz, rules: Rules, open_to_all: bool | None = None
) -> Assignment:
    """Assign a published quiz to a class, with a sitting of its own.

    Args:
        open_to_all: whether independent learners may take it too; None leaves that unchanged.

    Raises:
        Refused: the user may not assign quizzes, or the quiz is not published.
    """
    course = _lock_as_instructor(access)
    if not quiz.published:
        raise Refused(_("You can only assign a published quiz."))
    sitting = Sitting(quiz=quiz, given_in=course.title, open_to_all=False)
    assignment = Assignment(course=course, sitting=sitting)
    _write(assignment, rules)
    _open_to_all(quiz, open_to_all)
    schedule_check([assignment])
    _post_letters(assignment)
    after = _rule_values(assignment) | {"quiz": quiz.title}
    record_course_event(access, "assignment.assigned", assignment, after=after)
    return assignment


@transaction.atomic
def change_assignment(
    *,
    access: CourseAccess,
    assignment: Assignment,
    rules: Rules,
    version: int,
    open_to_all: bool | None = None,
    may_shorten: bool = False,
) -> DeadlineChanges:
    """Change the rules. Running attempts only gain time, unless `may_shorten`.

    Raises:
        Outdated: somebody has changed the rules since this version.
        Refused: the user may not assign quizzes.
    """
    course = _lock_as_instructor(access)
    found = Assignment.objects.select_related("sitting__quiz")
    assignment = found.get(pk=assignment.pk, course=course)
    if assignment.version != version:
        raise Outdated(_("Someone else has changed this in the meantime. Save again."))
    was = _rule_values(assignment)
    assignment.version += 1
    was_copied, assignment.dates_copied = assignment.dates_copied, False
    _write(assignment, rules)
    _open_to_all(assignment.sitting.quiz, open_to_all)
    before, after = changed_values(was, _rule_values(assignment))
    if after:
        record_course_event(access, "assignment.changed", assignment, before=before, after=after)
        schedule_check([assignment], at_once=True)
    if was_copied:
        _post_letters(assignment)
    return apply_settings(course, [assignment], may_shorten=may_shorten)


@transaction.atomic
def release_results(*, access: CourseAccess, assignment: Assignment, released: bool = True) -> None:
    """Show or hide marks and solutions, if they are released by hand."""
    course = _lock_as_instructor(access)
    sittings = Sitting.objects.filter(
        assignment__pk=assignment.pk, assignment__course=course, release=Sitting.Release.BY_HAND
    )
    if sittings.exclude(released=released).update(released=released):
        record_course_event(
            access, f"assignment.{'released' if released else 'hidden'}", assignment
        )
        if released:
            letters.post_released(assignment)


@transaction.atomic
def withdraw(*, access: CourseAccess, assignment: Assignment, reason: str = "") -> None:
    """Withdraw an assignment that nobody has begun.

    Raises:
        Refused: somebody has begun it, and attempts are kept.
    """
    _lock_as_instructor(access)
    sitting = Sitting.objects.select_for_update().get(assignment=assignment.pk)
    if sitting.attempts.exists():
        words = _(
            "A student has already started this quiz, so it can’t be withdrawn. Set a closing"
            " date instead."
        )
        raise Refused(words)
    facts = _rule_values(assignment) | {"quiz": sitting.quiz.title}
    record_course_event(access, "assignment.withdrawn", assignment, before=facts, reason=reason)
    assignment.delete()
    sitting.delete()


def _lock_as_instructor(access: CourseAccess) -> Course:
    if not access.runs:
        raise Refused(_("Only instructors can assign quizzes."))
    return lock_course(access.course)


def _write(assignment: Assignment, rules: Rules) -> None:
    sitting = assignment.sitting
    for name in RULES:
        setattr(sitting, name, getattr(rules, name))
    sitting.save()
    assignment.sitting, assignment.due_at = sitting, rules.due_at
    assignment.changed_at = timezone.now()
    assignment.save()


def _post_letters(assignment: Assignment) -> None:
    letters.post_assigned(
        [assignment], letters.active_students(assignment.course).values_list("user", flat=True)
    )


def _open_to_all(quiz: Quiz, open_to_all: bool | None) -> None:
    if open_to_all is not None:
        quiz.own_sitting.open_to_all = open_to_all
        quiz.own_sitting.save(update_fields=["open_to_all"])


def _rule_values(assignment: Assignment) -> dict[str, Any]:
    return {"due_at": assignment.due_at, **field_values(assignment.sitting, *RULES)}
