"""The clock of graded attempts: deadlines, and extra time."""

from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import F, Q

from quizzes.models import Attempt, ExtraTime, Quiz


def deadline_of(quiz: Quiz, started_at: datetime, extra_time: timedelta) -> datetime:
    """When an attempt ends. A quiz that closes cuts the usual time short, never the extra time."""
    end = started_at + timedelta(minutes=quiz.minutes)
    if quiz.closes_at:
        end = min(end, quiz.closes_at)
    return end + extra_time


def extra_time_of(student, quiz: Quiz, attempt: Attempt | None = None) -> timedelta:
    """What is added for this student, or for this very attempt."""
    granted = (
        ExtraTime.objects.filter(Q(attempt=None) | Q(attempt=attempt), student=student)
        .order_by(F("attempt").asc(nulls_last=True))
        .first()
    )
    return granted.on_top_of(quiz.minutes) if granted else timedelta()


@transaction.atomic
def grant_extra_time(*, granted: ExtraTime) -> int:
    """Keep it, and let it count at once; return how many running attempts it changed."""
    granted.save()
    return apply_extra_time(student=granted.student)


@transaction.atomic
def withdraw_extra_time(*, granted: ExtraTime) -> int:
    """Take it back, also from attempts that run; return how many it changed."""
    granted.delete()
    return apply_extra_time(student=granted.student)


def apply_extra_time(*, student) -> int:
    """Set the deadlines of this student's open attempts anew; return how many changed.

    The student's page hears of it by its next save.
    """
    changed = 0
    with transaction.atomic():
        running = Attempt.objects.select_for_update(of=["self"]).filter(
            student=student, mode=Attempt.Mode.GRADED, state=Attempt.State.OPEN
        )
        for attempt in running.select_related("quiz"):
            extra_time = extra_time_of(student, attempt.quiz, attempt)
            if extra_time != attempt.extra_time:
                attempt.extra_time = extra_time
                attempt.deadline = deadline_of(attempt.quiz, attempt.started_at, extra_time)
                attempt.save(update_fields=["extra_time", "deadline"])
                changed += 1
    return changed
