"""The clock of graded attempts: deadlines, and extra time."""

from datetime import datetime, timedelta

from django.db import transaction

from quizzes.models import Attempt, ExtraTime, Quiz
from quizzes.queries import extra_time_for


def deadline_of(quiz: Quiz, started_at: datetime, extra_time: timedelta) -> datetime:
    """When an attempt ends. A quiz that closes cuts the usual time short, never the extra time."""
    end = started_at + timedelta(minutes=quiz.minutes)
    if quiz.closes_at:
        end = min(end, quiz.closes_at)
    return end + extra_time


def extra_time_of(student, minutes: int, attempt: Attempt | None = None) -> timedelta:
    """What is added to so many minutes for this student, or for this very attempt."""
    own = ExtraTime.objects.filter(attempt=attempt).first() if attempt else None
    granted = own or extra_time_for(student)
    return granted.on_top_of(minutes) if granted else timedelta()


@transaction.atomic
def grant_extra_time(*, granted: ExtraTime) -> int:
    """Keep it, and let it count at once; return how many running attempts it changed.

    An attempt that runs never gets less by it: somebody counts on the time that they were shown.
    """
    granted.save()
    return _set_anew(granted.student, may_shorten=False)


@transaction.atomic
def withdraw_extra_time(*, granted: ExtraTime) -> int:
    """Take it back, also from attempts that run; return how many it changed."""
    granted.delete()
    return _set_anew(granted.student, may_shorten=True)


def _set_anew(student, *, may_shorten: bool) -> int:
    """Set the extra time of this student's open attempts, and so their deadlines.

    It goes on top of the time that an attempt began with, whatever has become of its quiz since.
    The student's page hears of it by its next save.
    """
    changed = 0
    running = Attempt.objects.select_for_update(of=["self"]).filter(
        student=student, mode=Attempt.Mode.GRADED, state=Attempt.State.OPEN
    )
    for attempt in running.select_related("quiz"):
        usual_end = attempt.deadline - attempt.extra_time
        extra_time = extra_time_of(student, _usual_minutes(attempt, usual_end), attempt)
        if not may_shorten:
            extra_time = max(extra_time, attempt.extra_time)
        if extra_time != attempt.extra_time:
            attempt.extra_time = extra_time
            attempt.deadline = usual_end + extra_time
            attempt.save(update_fields=["extra_time", "deadline"])
            changed += 1
    return changed


def _usual_minutes(attempt: Attempt, usual_end: datetime) -> int:
    """The minutes of its quiz when it began, as far as it shows them."""
    minutes = (usual_end - attempt.started_at) // timedelta(minutes=1)
    cut_short = usual_end == attempt.quiz.closes_at
    return max(minutes, attempt.quiz.minutes) if cut_short else minutes
