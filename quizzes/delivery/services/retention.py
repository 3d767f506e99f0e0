"""Deletes data of students: with their account, or after the site's retention periods.

A deleted student's marks are kept, without anything that identifies the student. Nothing here runs
unless a person asks for it or the site has set a number of days.
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

# The most deleted in one transaction, and in one run.
BATCH_SIZE, MAX_DELETED = 200, 5000


def forget_student(*, student) -> None:
    """Submit a student's open attempts and delete their personal data.

    Attempts, answers and grades stay, for statistics. The caller has the transaction, and wakes
    the marking after it.
    """
    for attempt in Attempt.objects.graded().open().filter(student=student):
        submit_attempt(attempt=attempt)
    for preview in Attempt.objects.filter(student=student, mode=Attempt.Mode.PREVIEW):
        delete_preview(attempt=preview)
    Certificate.objects.filter(attempt__student=student).delete()
    ExtraTime.objects.filter(student=student).delete()
    Report.objects.filter(student=student).delete()
    Item.objects.filter(attempt__student=student).update(draft={}, token="", flagged=False)


def apply_retention() -> None:
    """Delete what is older than the site's retention periods; nothing if it has none."""
    if days := settings.KEEP_DRAFTS_DAYS:
        forget_drafts(days=days)
    if days := settings.KEEP_ATTEMPTS_DAYS:
        forget_attempts(days=days)


def forget_drafts(*, days: int) -> int:
    """Empty the drafts of attempts submitted so many days ago. Return how many; answers stay.

    In practice, drafts last saved so long ago are emptied.
    """
    before = timezone.now() - timedelta(days=days)
    handed_in = Q(attempt__submitted_at__lt=before)
    left = Q(attempt__mode=Attempt.Mode.PRACTICE, saved_at__lt=before)
    return Item.objects.filter(handed_in | left).exclude(draft={}).update(draft={}, token="")


def forget_attempts(*, days: int) -> int:
    """Delete attempts that ended so many days ago, with answers and grades. Return how many.

    Practice ends with the last answer that was saved or checked. Attempts with anything that waits
    to be marked, or needs attention, stay.
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
    while forgotten < MAX_DELETED and (count := _delete_some(ended)):
        forgotten += count
    return forgotten


@transaction.atomic
def _delete_some(ended) -> int:
    chosen = Attempt.objects.filter(pk__in=list(ended.values_list("pk", flat=True)[:BATCH_SIZE]))
    attempts = lock_first(chosen, most=BATCH_SIZE)
    return Attempt.objects.filter(pk__in=attempts).delete()[1].get("quizzes.Attempt", 0)
