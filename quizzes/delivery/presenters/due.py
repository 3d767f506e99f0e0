"""When an attempt is due, for its page before it is submitted and its results after."""

from datetime import datetime
from typing import Any

from quizzes.delivery.effective_settings import Due, due_for, is_late
from quizzes.models import Attempt


def due_of(attempt: Attempt) -> Due:
    """Return when an attempt is due; a preview never is."""
    return Due() if attempt.is_preview else due_for(attempt.student_id, attempt.sitting)


def due_note(attempt: Attempt, now: datetime) -> dict[str, Any] | None:
    """Return when an open attempt is due, and whether that is past; None if it cannot be late."""
    due = due_of(attempt)
    if due.at is None or (attempt.deadline is not None and attempt.deadline <= due.at):
        return None
    return {"date": due, "is_over": now > due.at}


def due_context(attempt: Attempt) -> dict[str, Any]:
    """Return for the pages of a submitted attempt when it was due, and whether it was late."""
    due = due_of(attempt)
    sent = attempt.submitted_at
    return {"due": due, "is_late": bool(sent) and is_late(sent, attempt.deadline, due.at)}
