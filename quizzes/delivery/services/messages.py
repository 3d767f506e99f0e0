"""Sends messages to all who take a quiz at a sitting.

A message locks no attempt, so that it never holds up a save or a submission. The pages of open
attempts get it with the answer to their next request.
"""

from datetime import timedelta
from typing import Any

from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from quizzes.models import GRACE, Attempt, Sitting, SittingMessage

# The same text by the same sender within this time is a button pressed twice.
PRESSED_TWICE = timedelta(minutes=1)


@transaction.atomic
def send_message(*, sitting: Sitting, text: str, by: Any) -> tuple[SittingMessage, bool]:
    """Send a message to all whose attempt at the sitting is open. Return it, and whether it is new.

    It counts whom it reaches. Sending the same once more within a minute sends nothing.
    """
    now = timezone.now()
    same = sitting.messages.filter(text=text, by=by, at__gte=now - PRESSED_TWICE)
    if sent := same.first():
        return sent, False
    working = Attempt.objects.graded().open().filter(sitting=sitting)
    reached = working.filter(Q(deadline=None) | Q(deadline__gte=now - GRACE)).count()
    return sitting.messages.create(text=text, by=by, at=now, reached=reached), True
