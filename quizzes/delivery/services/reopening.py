"""Letting an attempt that is over take answers again.

Nothing that was handed in is changed: it is handed in once more, and the last time counts.
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
    """Let an attempt that is over take answers until then; return it as it is now.

    It goes on with what was typed. Until it is handed in again it has no score; what was handed in
    before stays, and whoever marks it at this moment gives the attempt nothing for it.

    Raises:
        Refused: it is practice or a preview, or runs, or another attempt of the student does, or
            `until` has gone by.
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
        raise Refused(_("This end time is in the past."))
    if locked.is_open:  # its time is up, and nobody has come by since
        submit_attempt(attempt=locked)
        locked.refresh_from_db()
    running = Attempt.objects.graded().open().filter(student=locked.student_id)
    if running.filter(sitting=locked.sitting_id).exists():
        raise Refused(_("They have another attempt in progress."))
    _bring_drafts_back(locked)
    locked.state = Attempt.State.OPEN
    locked.reopened += 1
    locked.deadline = locked.kept_open_until = until
    locked.submitted_at, locked.closed_by_clock, locked.score = None, False, None
    # What rulings made of it they make of what is handed in next.
    locked.out_of = sum(locked.items.values_list("points", flat=True))
    locked.save(
        update_fields=[
            *("state", "reopened", "deadline", "kept_open_until"),
            *("submitted_at", "closed_by_clock", "score", "out_of"),
        ]
    )
    return locked


def _bring_drafts_back(attempt: Attempt) -> None:
    """Drafts may have been deleted as old; what was handed in says what they were."""
    handed_in = Answer.objects.counting().filter(submission__attempt=attempt)
    answers = dict(handed_in.values_list("item", "raw"))
    emptied = [item for item in items_of(attempt) if not item.draft and item.pk in answers]
    for item in emptied:
        flat = flatten(item.asked, answers[item.pk])
        item.draft = {field: text for field, text in flat.items() if text}
    # Its revision stays: a page that still has the draft bases the next save on it.
    Item.objects.bulk_update([item for item in emptied if item.draft], ["draft"])
