"""Reopens attempts that are over.

Submissions do not change: the attempt is submitted once more, and the last submission counts.
"""

from datetime import datetime

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from quizzes.delivery.queries.attempts import items_of
from quizzes.delivery.services.item_selection import lock_student
from quizzes.delivery.services.taking import submit_attempt
from quizzes.errors import Refused
from quizzes.models import Answer, Attempt, Item
from quizzes.problems.answers import flatten


@transaction.atomic
def reopen_attempt(*, attempt: Attempt, until: datetime) -> Attempt:
    """Reopen an attempt that is over until then. Return it as it is now.

    It continues from what was typed. Until it is submitted again it has no score; earlier
    submissions stay, and marking one at this moment gives the attempt no score.

    Raises:
        Refused: it is practice or a preview, or is running, or another attempt of the student is,
            or `until` is past.
    """
    lock_student(attempt.student)
    locked = Attempt.objects.select_for_update().get(pk=attempt.pk)
    now = timezone.now()
    if locked.is_practice:
        raise Refused(_("Practice has no time limit."))
    if locked.is_preview:
        raise Refused(_("This is a preview. Its author can start it again."))
    if locked.takes_answers(now):
        raise Refused(_("The attempt is already in progress."))
    if until <= now:
        raise Refused(_("This end time is in the past. Choose a later one."))
    if locked.is_open:  # its time is up, and nothing has closed it yet
        submit_attempt(attempt=locked)
        locked.refresh_from_db()
    running = Attempt.objects.graded().open().filter(student=locked.student_id)
    if running.filter(sitting=locked.sitting_id).exists():
        raise Refused(_("They have another attempt in progress."))
    _restore_drafts(locked)
    locked.state = Attempt.State.OPEN
    locked.reopened += 1
    locked.deadline = locked.kept_open_until = until
    locked.submitted_at, locked.closed_by_clock, locked.score = None, False, None
    # Regrades that changed it apply again to the next submission.
    locked.out_of = sum(locked.items.values_list("points", flat=True))
    locked.save(
        update_fields=[
            *("state", "reopened", "deadline", "kept_open_until"),
            *("submitted_at", "closed_by_clock", "score", "out_of"),
        ]
    )
    return locked


def _restore_drafts(attempt: Attempt) -> None:
    """Restore drafts that were deleted as old, from what was submitted."""
    handed_in = Answer.objects.counting().filter(submission__attempt=attempt)
    answers = dict(handed_in.values_list("item", "raw"))
    emptied = [item for item in items_of(attempt) if not item.draft and item.pk in answers]
    for item in emptied:
        flat = flatten(item.asked, answers[item.pk])
        item.draft = {field: text for field, text in flat.items() if text}
    # Revisions stay: a page that still has the draft bases its next save on them.
    Item.objects.bulk_update([item for item in emptied if item.draft], ["draft"])
