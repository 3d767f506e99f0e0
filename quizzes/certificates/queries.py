"""Certificates by token, and the right to one."""

from datetime import datetime

from quizzes.delivery.queries.secrecy import visible_marks
from quizzes.models import Attempt, Certificate


def certificate_with_token(token: str) -> Certificate | None:
    """Return the certificate with this token, withdrawn or not."""
    return Certificate.objects.filter(token=token).select_related("attempt").first()


def can_have_certificate(attempt: Attempt, now: datetime) -> bool:
    """Return whether the attempt is passed by the marks that its student may see now."""
    shown = (
        visible_marks(attempt.student, now, [attempt]).of(attempt) if attempt.is_graded else None
    )
    return shown is not None and bool(shown.passes(attempt.quiz.pass_mark))
