"""What is deleted of what students did: with the student, or because it is old.

Marks outlive their student; what says who that was does not. Nothing here runs unless a person asks
for it or the site has said after how many days.
"""

from datetime import timedelta

from django.conf import settings
from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from foundation.locking import lock_first
from quizzes.delivery.services.previews import delete_preview
from quizzes.delivery.services.taking import submit_attempt
from quizzes.models import Attempt, Certificate, ExtraTime, Item, Report, Submission

# So many at most in one transaction, and in one run.
BATCH, MOST = 200, 5000


def forget_student(*, student) -> None:
    """Hand in what is open, and delete what is nobody's business once the student has gone.

    Attempts, answers and grades stay, for statistics. The caller's transaction, and its bell.
    """
    for attempt in Attempt.objects.graded().open().filter(student=student):
        submit_attempt(attempt=attempt)
    for preview in Attempt.objects.filter(student=student, mode=Attempt.Mode.PREVIEW):
        delete_preview(attempt=preview)
    Certificate.objects.filter(attempt__student=student).delete()
    ExtraTime.objects.filter(student=student).delete()
    Report.objects.filter(student=student).delete()
    Item.objects.filter(attempt__student=student).update(draft={}, token="", flagged=False)


def forget_old() -> None:
    """Delete what is older than the site wants to keep; nothing where it has not said."""
    if days := settings.KEEP_DRAFTS_DAYS:
        forget_drafts(days=days)
    if days := settings.KEEP_ATTEMPTS_DAYS:
        forget_attempts(days=days)


def forget_drafts(*, days: int) -> int:
    """Empty the drafts of what was handed in so many days ago; its answers stay. How many.

    Of practice that nobody goes on with, the drafts of questions last saved so long ago.
    """
    before = timezone.now() - timedelta(days=days)
    handed_in = Q(attempt__submitted_at__lt=before)
    left = Q(attempt__mode=Attempt.Mode.PRACTICE, saved_at__lt=before)
    return Item.objects.filter(handed_in | left).exclude(draft={}).update(draft={}, token="")


def forget_attempts(*, days: int) -> int:
    """Delete attempts that ended so many days ago, with their answers and grades; how many.

    Practice ends with the last answer that was saved or checked. What still waits to be marked, or
    needs attention, stays.
    """
    before = timezone.now() - timedelta(days=days)
    unmarked = Submission.objects.counting().exclude(state=Submission.State.GRADED)
    ended = (
        Attempt.objects.filter(started_at__lt=before)
        .filter(Q(submitted_at__lt=before) | Q(mode=Attempt.Mode.PRACTICE))
        .exclude(items__saved_at__gte=before)
        .exclude(submissions__received_at__gte=before)
        .exclude(pk__in=unmarked.values("attempt"))
    )
    forgotten = 0
    while forgotten < MOST and (count := _delete_some(ended)):
        forgotten += count
    return forgotten


@transaction.atomic
def _delete_some(ended) -> int:
    chosen = Attempt.objects.filter(pk__in=list(ended.values_list("pk", flat=True)[:BATCH]))
    attempts = lock_first(chosen, most=BATCH)
    return Attempt.objects.filter(pk__in=attempts).delete()[1].get("quizzes.Attempt", 0)
