"""Figures on whether marking keeps up, for operators."""

from datetime import datetime

from django.db.models import Count, Max, Min, Q, QuerySet

from quizzes.models import Grade, Submission


def waiting_submissions() -> tuple[int, datetime | None]:
    """Return the number of waiting submissions, and when the oldest was received."""
    rows = Submission.objects.filter(state=Submission.State.WAITING)
    found = rows.aggregate(count=Count("pk"), oldest=Min("received_at"))
    return found["count"], found["oldest"]


def count_needing_attention() -> int:
    """Return the number of submissions that could not be marked."""
    return Submission.objects.counting().filter(state=Submission.State.ATTENTION).count()


def stuck_outside_classes(quiz: int | None) -> QuerySet[Submission]:
    """Return a quiz's submissions outside classes that could not be marked, oldest first."""
    alone = Q(attempt__sitting=None) | Q(attempt__sitting__given_in="")
    stuck = Submission.objects.counting().filter(alone, attempt__quiz=quiz)
    found = stuck.filter(state=Submission.State.ATTENTION)
    return found.select_related("attempt").order_by("received_at")


def count_grades_written() -> int:
    """Return about how many grades were ever written: the newest key, as counting rows is slow."""
    return Grade.objects.aggregate(newest=Max("pk"))["newest"] or 0
