"""Whether marking keeps up, in numbers, for whoever runs the site."""

from datetime import datetime

from django.db.models import Count, Max, Min, Q, QuerySet

from quizzes.models import Grade, Submission


def waiting() -> tuple[int, datetime | None]:
    """How many submissions wait to be marked, and since when the oldest does."""
    rows = Submission.objects.filter(state=Submission.State.WAITING)
    told = rows.aggregate(count=Count("pk"), oldest=Min("received_at"))
    return told["count"], told["oldest"]


def needing_attention() -> int:
    """How many submissions could not be marked."""
    return Submission.objects.counting().filter(state=Submission.State.ATTENTION).count()


def stuck_outside_classes(quiz: int | None) -> QuerySet[Submission]:
    """Return what could not be marked of whoever took a quiz in no class, the oldest first."""
    alone = Q(attempt__sitting=None) | Q(attempt__sitting__given_in="")
    stuck = Submission.objects.counting().filter(alone, attempt__quiz=quiz)
    found = stuck.filter(state=Submission.State.ATTENTION)
    return found.select_related("attempt").order_by("received_at")


def grades_written() -> int:
    """How many grades were ever written, by the newest one's number: counting rows takes long."""
    return Grade.objects.aggregate(newest=Max("pk"))["newest"] or 0
