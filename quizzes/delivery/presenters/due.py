"""When an attempt is due, for its page before it is submitted and its results after."""

from datetime import datetime
from typing import Any

from quizzes.delivery.effective_settings import due_at, is_late
from quizzes.models import Attempt


def due_note(attempt: Attempt, now: datetime) -> dict[str, Any] | None:
    """Return when an open attempt is due, and whether that is past; None if it cannot be late."""
    due = None if attempt.is_preview else due_at(attempt.student_id, attempt.sitting)
    if due is None or (attempt.deadline is not None and attempt.deadline <= due):
        return None
    return {"at": due, "is_over": now > due}


def missed_due(attempt: Attempt) -> datetime | None:
    """Return when a submitted attempt was due, if it was late."""
    if attempt.is_preview or attempt.submitted_at is None:
        return None
    due = due_at(attempt.student_id, attempt.sitting)
    return due if is_late(attempt.submitted_at, attempt.deadline, due) else None
