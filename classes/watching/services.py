"""What is done to attempts of students while a quiz is watched, and afterwards.

Each attempt is a transaction of its own: one that somebody has handed in meanwhile keeps no other
from what is done to it. Each deed is remembered, and told to the student.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.contrib.auth import get_user_model
from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from classes.access.queries import Seat
from classes.access.services import remember_in
from classes.limits import MOST_MINUTES_MORE
from classes.models import Assignment
from classes.watching import letters
from classes.watching.queries import watched
from quizzes.delivery.services.deadlines import extend_attempt
from quizzes.delivery.services.item_selection import lock_student
from quizzes.delivery.services.reopening import reopen_attempt
from quizzes.delivery.services.taking import submit_attempt
from quizzes.errors import Refused
from quizzes.marking import services as marking_services
from quizzes.models import Attempt, Submission

# A page with new ends may lie open for a while before somebody agrees to them.
MOST_MORE = timedelta(minutes=MOST_MINUTES_MORE) + timedelta(hours=1)


@dataclass(frozen=True)
class Outcome:
    """What became of one attempt; `why` not, where nothing was done."""

    attempt: Attempt
    why: str = ""


def extend(
    *, seat: Seat, assignment: Assignment, until: Mapping[int, datetime], reason: str
) -> list[Outcome]:
    """Let these attempts go on, each until its own new end; none gets shorter by it.

    An end is said, and not how much is added: asked twice it is done once.
    """

    def deed(attempt: Attempt) -> tuple[dict[str, Any], dict[str, Any]]:
        end, was = until[attempt.pk], attempt.deadline
        if end > max(was or timezone.now(), timezone.now()) + MOST_MORE:
            raise Refused(_("This end time is too far ahead."))
        attempt.deadline = extend_attempt(attempt=attempt, until=end).deadline
        return {"ends": was}, {"ends": end}

    return _each(seat, assignment, until, "extended", reason, deed)


def reopen(
    *, seat: Seat, assignment: Assignment, attempts: Iterable[int], until: datetime, reason: str
) -> list[Outcome]:
    """Let these attempts, which are over, take answers again until then."""

    def deed(attempt: Attempt) -> tuple[dict[str, Any], dict[str, Any]]:
        before = {
            "handed_in": attempt.submitted_at,
            "score": attempt.score,
            "ends": attempt.deadline,
        }
        attempt.deadline = reopen_attempt(attempt=attempt, until=until).deadline
        return before, {"ends": until}

    return _each(seat, assignment, attempts, "reopened", reason, deed)


def hand_in(
    *, seat: Seat, assignment: Assignment, attempts: Iterable[int], reason: str
) -> list[Outcome]:
    """Hand in these attempts as they are saved. The caller rings the bell of the grading."""

    def deed(attempt: Attempt) -> tuple[dict[str, Any], dict[str, Any]]:
        if not attempt.is_open:
            raise Refused(_("The attempt had already been submitted."))
        submission = submit_attempt(attempt=attempt)
        return {"ends": attempt.deadline}, {"handed_in": submission.received_at}

    return _each(seat, assignment, attempts, "handed_in", reason, deed)


def mark_again(
    *, seat: Seat, assignment: Assignment, attempts: Iterable[int], reason: str
) -> list[Outcome]:
    """Let those of these attempts that need attention wait again. The caller rings the bell."""

    def deed(attempt: Attempt) -> tuple[dict[str, Any], dict[str, Any]]:
        handed_in = Submission.objects.final().filter(attempt=attempt)
        # Django updates nothing through a join.
        if not marking_services.mark_again(submissions=Submission.objects.filter(pk__in=handed_in)):
            raise Refused(_("The attempt does not need attention."))
        return {}, {}

    return _each(seat, assignment, attempts, "marked_again", reason, deed)


def _each(
    seat: Seat,
    assignment: Assignment,
    attempts: Iterable[int],
    verb: str,
    reason: str,
    deed: Callable[[Attempt], tuple[dict[str, Any], dict[str, Any]]],
) -> list[Outcome]:
    """Do it to each of these attempts whose student may be changed from this seat."""
    outcomes = []
    assignment.course = seat.course
    theirs = watched(seat, assignment).filter(pk__in=seat.may_change())
    found = Attempt.objects.graded().filter(
        pk__in=list(attempts),
        sitting=assignment.sitting_id,
        student__in=theirs.order_by().values("user"),
    )
    for pk, student in list(found.order_by("pk").values_list("pk", "student")):
        with transaction.atomic():
            # In this order, as whoever starts an attempt: nobody waits for the other.
            lock_student(get_user_model()(pk=student))
            locked = Attempt.objects.select_for_update(of=("self",))
            attempt = locked.select_related("student", "quiz").get(pk=pk)
            try:
                with transaction.atomic():
                    before, after = deed(attempt)
            except Refused as refusal:
                outcomes.append(Outcome(attempt, str(refusal)))
                continue
            told = {"before": before, "after": {"quiz": attempt.quiz.title} | after}
            person = attempt.student
            remember_in(seat, f"attempt.{verb}", attempt, person=person, reason=reason, **told)
            letters.tell(verb, assignment, attempt, reason)
            outcomes.append(Outcome(attempt))
    return outcomes
