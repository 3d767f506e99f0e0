"""When an attempt is due, for its page before it is submitted and its results after."""

from dataclasses import dataclass
from datetime import datetime

from quizzes.delivery.effective_settings import due_at, is_late
from quizzes.models import Attempt


@dataclass(frozen=True)
class DueNote:
    """When an open attempt is due, and whether that is past."""

    at: datetime
    is_over: bool


def due_note(attempt: Attempt, now: datetime) -> DueNote | None:
    """Return the note for a student who works on an attempt; None if it cannot be late."""
    due = None if attempt.is_preview else due_at(attempt.student_id, attempt.sitting)
    if due is None or (attempt.deadline is not None and attempt.deadline <= due):
        return None
    return DueNote(due, now > due)


def missed_due(attempt: Attempt) -> datetime | None:
    """Return when a submitted attempt was due, if it was late."""
    if attempt.is_preview or attempt.submitted_at is None:
        return None
    due = due_at(attempt.student_id, attempt.sitting)
    return due if is_late(attempt.submitted_at, attempt.deadline, due) else None
