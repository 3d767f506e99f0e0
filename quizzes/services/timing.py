"""Extra time, and what it does to attempts that run."""

from django.db import transaction

from quizzes.models import Attempt, ExtraTime
from quizzes.terms import added_to, deadline_of, extra_time_for


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

    It goes on top of the time that an attempt began with, whatever has become of its sitting since.
    The student's page hears of it by its next save.
    """
    changed = 0
    running = Attempt.objects.select_for_update().filter(
        student=student, mode=Attempt.Mode.GRADED, state=Attempt.State.OPEN, minutes__isnull=False
    )
    for attempt in running:
        extra_time = added_to(attempt.minutes, extra_time_for(student, attempt))
        if not may_shorten:
            extra_time = max(extra_time, attempt.extra_time)
        if extra_time != attempt.extra_time:
            attempt.extra_time = extra_time
            attempt.deadline = deadline_of(
                attempt.started_at, attempt.minutes, attempt.closes_at, extra_time
            )
            attempt.save(update_fields=["extra_time", "deadline"])
            changed += 1
    return changed
