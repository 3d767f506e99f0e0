"""Certificates, found by their tokens."""

from datetime import datetime

from quizzes.delivery.queries.secrecy import marks_of
from quizzes.models import Attempt, Certificate


def certificate_at(token: str) -> Certificate | None:
    """The one with this address, withdrawn or not."""
    return Certificate.objects.filter(token=token).select_related("attempt").first()


def earns_certificate(attempt: Attempt, now: datetime) -> bool:
    """Whether its student may show others that it is passed: whatever may not be shown of it."""
    shown = marks_of(attempt.student, now, [attempt]).of(attempt) if attempt.is_graded else None
    return shown is not None and bool(shown.passes(attempt.quiz.pass_mark))
