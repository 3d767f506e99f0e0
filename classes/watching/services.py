"""Services that extend, reopen, submit and re-mark students' attempts, and message all who work.

Each attempt is changed in a transaction of its own, so that one submitted meanwhile does not stop
the others. Each action is recorded, and the student gets a letter.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.contrib.auth import get_user_model
from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from classes.access.queries import CourseAccess
from classes.access.services import lock_course, record_course_event
from classes.limits import MAX_EXTRA_MINUTES
from classes.models import Assignment
from classes.watching import letters
from classes.watching.queries import visible_students
from quizzes.delivery.services.deadlines import extend_attempt
from quizzes.delivery.services.item_selection import lock_student
from quizzes.delivery.services.messages import send_message
from quizzes.delivery.services.reopening import reopen_attempt
from quizzes.delivery.services.taking import submit_attempt
from quizzes.errors import Refused
from quizzes.marking.services import queue_again
from quizzes.models import Attempt, SittingMessage, Submission

# A page with new ends may stay open for a while before they are confirmed.
MAX_EXTENSION = timedelta(minutes=MAX_EXTRA_MINUTES) + timedelta(hours=1)


@dataclass(frozen=True)
class AttemptOutcome:
    """The outcome for one attempt; `why` is the reason why nothing was done, or empty."""

    attempt: Attempt
    why: str = ""


def extend(
    *, access: CourseAccess, assignment: Assignment, until: Mapping[int, datetime], reason: str
) -> list[AttemptOutcome]:
    """Extend these attempts, each to its own new end; none becomes shorter.

    It takes ends instead of minutes to add, so that repeating a request changes nothing.
    """

    def deed(attempt: Attempt) -> tuple[dict[str, Any], dict[str, Any]]:
        end, was = until[attempt.pk], attempt.deadline
        if end > max(was or timezone.now(), timezone.now()) + MAX_EXTENSION:
            raise Refused(_("The new end time would be too far ahead. Give fewer minutes."))
        attempt.deadline = extend_attempt(attempt=attempt, until=end).deadline
        return {"ends": was}, {"ends": end}

    return _apply_to_attempts(access, assignment, until, "extended", reason, deed)


def reopen(
    *,
    access: CourseAccess,
    assignment: Assignment,
    attempts: Iterable[int],
    until: datetime,
    reason: str,
    with_time_left: bool = False,
) -> list[AttemptOutcome]:
    """Reopen these finished attempts for answers until `until`.

    `with_time_left` gives each at least the time that was left when it was submitted, so that
    submitting for all is undone.
    """

    def deed(attempt: Attempt) -> tuple[dict[str, Any], dict[str, Any]]:
        before = {
            "handed_in": attempt.submitted_at,
            "score": attempt.score,
            "ends": attempt.deadline,
        }
        end = until
        if with_time_left and attempt.deadline and attempt.submitted_at:
            time_left = attempt.deadline - attempt.submitted_at
            end = max(until, timezone.now() + time_left)
        attempt.deadline = reopen_attempt(attempt=attempt, until=end).deadline
        return before, {"ends": end}

    return _apply_to_attempts(access, assignment, attempts, "reopened", reason, deed)


def hand_in(
    *, access: CourseAccess, assignment: Assignment, attempts: Iterable[int], reason: str
) -> list[AttemptOutcome]:
    """Submit these attempts as they are saved. The caller wakes the grading task."""

    def deed(attempt: Attempt) -> tuple[dict[str, Any], dict[str, Any]]:
        if not attempt.is_open:
            raise Refused(_("The attempt had already been submitted."))
        submission = submit_attempt(attempt=attempt, by_staff=True)
        attempt.state = Attempt.State.SUBMITTED
        return {"ends": attempt.deadline}, {"handed_in": submission.received_at}

    return _apply_to_attempts(access, assignment, attempts, "handed_in", reason, deed)


def mark_again(
    *, access: CourseAccess, assignment: Assignment, attempts: Iterable[int], reason: str
) -> list[AttemptOutcome]:
    """Queue the attempts that need attention for marking. The caller wakes the grading task."""

    def deed(attempt: Attempt) -> tuple[dict[str, Any], dict[str, Any]]:
        handed_in = Submission.objects.final().filter(attempt=attempt)
        # Django cannot update through a join.
        if not queue_again(submissions=Submission.objects.filter(pk__in=handed_in)):
            raise Refused(_("There’s nothing to mark again in this attempt."))
        return {}, {}

    return _apply_to_attempts(access, assignment, attempts, "marked_again", reason, deed)


@transaction.atomic
def message_all(*, access: CourseAccess, assignment: Assignment, text: str) -> SittingMessage:
    """Send a message to all who work on the assignment now; it is part of the class's history."""
    lock_course(access.course)
    message, is_new = send_message(sitting=assignment.sitting, text=text, by=access.user)
    if is_new:
        sent = {"quiz": assignment.sitting.quiz.title, "message": text, "reached": message.reached}
        record_course_event(access, "assignment.messaged", assignment, after=sent)
    return message


def _apply_to_attempts(
    access: CourseAccess,
    assignment: Assignment,
    attempts: Iterable[int],
    verb: str,
    reason: str,
    deed: Callable[[Attempt], tuple[dict[str, Any], dict[str, Any]]],
) -> list[AttemptOutcome]:
    """Apply an action to each of these attempts whose student the user may change."""
    outcomes = []
    assignment.course = access.course
    theirs = visible_students(access, assignment).filter(pk__in=access.may_change())
    found = Attempt.objects.graded().filter(
        pk__in=list(attempts),
        sitting=assignment.sitting_id,
        student__in=theirs.order_by().values("user"),
    )
    for pk, student in list(found.order_by("pk").values_list("pk", "student")):
        with transaction.atomic():
            # The same order of locks as when an attempt is started, to avoid deadlocks.
            lock_student(get_user_model()(pk=student))
            locked = Attempt.objects.select_for_update(of=("self",))
            attempt = locked.select_related("student", "quiz").get(pk=pk)
            try:
                with transaction.atomic():
                    before, after = deed(attempt)
            except Refused as refusal:
                outcomes.append(AttemptOutcome(attempt, str(refusal)))
                continue
            changes = {"before": before, "after": {"quiz": attempt.quiz.title} | after}
            person = attempt.student
            record_course_event(
                access, f"attempt.{verb}", attempt, person=person, reason=reason, **changes
            )
            letters.post_letter(verb, assignment, attempt, reason)
            outcomes.append(AttemptOutcome(attempt))
    return outcomes
