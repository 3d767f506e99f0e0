"""Messages to all who take a quiz at a sitting, for attempts that show them.

Every save reads its attempt, and learns in the same statement whether its sitting has messages.
"""

from datetime import datetime, timedelta

from django.db.models import Exists, OuterRef, QuerySet

from foundation.prepared import prepared
from quizzes.models import Attempt, Sitting, SittingMessage

# Attempts that begin this long after a message show it too.
SHOWN_TO_LATER_ATTEMPTS = timedelta(days=1)


def with_message_signs(attempts: QuerySet[Attempt]) -> QuerySet[Attempt]:
    """Annotate attempts with `has_messages`: whether any message was sent at their sitting."""
    sent = SittingMessage.objects.filter(sitting=OuterRef("sitting")).order_by()
    return attempts.annotate(has_messages=Exists(sent))


def messages_in(attempt: Attempt) -> list[SittingMessage]:
    """Return the messages that an attempt shows, the earliest first.

    These are those sent while it is open and those of the day before it began. The attempt comes
    from `with_message_signs`, so that one without messages costs no query.
    """
    return messages_sent(attempt) if attempt.has_messages else []


def messages_sent(attempt: Attempt) -> list[SittingMessage]:
    """Return the messages of a graded attempt's sitting that it shows, or showed while open."""
    since = attempt.started_at - SHOWN_TO_LATER_ATTEMPTS
    found = _messages_since(attempt.sitting_id, since)
    return [each for each in found if not attempt.submitted_at or each.at <= attempt.submitted_at]


@prepared
def _messages_since(sitting: int, since: datetime) -> QuerySet[SittingMessage]:
    return SittingMessage.objects.filter(sitting=sitting, at__gte=since)


def messages_at(sitting: Sitting) -> QuerySet[SittingMessage]:
    """Return all messages of a sitting with their senders, the latest first."""
    return SittingMessage.objects.filter(sitting=sitting).select_related("by").order_by("-pk")
