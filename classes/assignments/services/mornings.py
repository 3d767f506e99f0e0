"""Posts the daily letter about what waits, to staff of classes who asked for it.

It runs each hour. A class has its morning for some hours, so that one missed run, or a letter that
had nothing to say earlier, is made up for; the message's key lets each day have one.
"""

from datetime import datetime
from zoneinfo import ZoneInfo

from django.db import transaction
from django.utils import timezone

from classes.access.queries import STAFF_ROLES, State
from classes.models import Membership
from outbox.queries import people_who_asked_for
from outbox.services import Note, post_all

WAITING = "classes.waiting"
# By the clock of the class.
FIRST_HOUR, LAST_HOUR = 7, 9


@transaction.atomic
def post_morning_letters() -> None:
    """Post today's letter for each class whose morning it is, once a day and person."""
    now = timezone.now()
    staff = Membership.objects.filter(
        user__in=people_who_asked_for(WAITING),
        role__in=STAFF_ROLES,
        state=State.ACTIVE,
        course__archived=False,
    )
    rows = staff.order_by("pk").values_list("user", "course", "course__time_zone")
    notes = [_note(user, course, now.astimezone(ZoneInfo(zone))) for user, course, zone in rows]
    post_all(kind=WAITING, notes=[note for note in notes if note])


def _note(user: int, course: int, there: datetime) -> Note | None:
    if not FIRST_HOUR <= there.hour <= LAST_HOUR:
        return None
    day = there.date().isoformat()
    key = f"{WAITING}:{course}:{day}:{user}"
    return Note(to=user, payload={"course": course, "day": day}, key=key)
