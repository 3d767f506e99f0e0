"""Certificates, found by their tokens."""

from quizzes.models import (
    Certificate,
)


def certificate_at(token: str) -> Certificate | None:
    """The one with this address, withdrawn or not."""
    return Certificate.objects.filter(token=token).select_related("attempt").first()
