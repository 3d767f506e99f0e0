"""Letters to students about actions on their attempts."""

from datetime import datetime
from zoneinfo import ZoneInfo

from django.utils import timezone
from django.utils.formats import date_format
from django.utils.translation import gettext_lazy

from classes.models import Assignment
from outbox import kinds
from outbox.kinds import Kind
from outbox.services import post
from quizzes.models import Attempt

TITLES = {
    "extended": gettext_lazy("Your attempt has been given more time"),
    "reopened": gettext_lazy("Your attempt has been reopened"),
    "handed_in": gettext_lazy("Your attempt has been submitted for you"),
    "marked_again": gettext_lazy("Your attempt is being marked again"),
}


def register() -> None:
    """Register these kinds of letters."""
    for name, title in TITLES.items():
        kinds.register(
            Kind(
                key=f"classes.{name}", title=title, template=f"classes/letters/{name}", digest=True
            )
        )


def post_letter(name: str, assignment: Assignment, attempt: Attempt, reason: str) -> None:
    """Post a letter about an action on an attempt, in the action's transaction."""
    zone = assignment.course.time_zone
    post(
        kind=f"classes.{name}",
        to=attempt.student,
        payload={
            "assignment": assignment.pk,
            "quiz": attempt.quiz.title,
            "course": assignment.course.title,
            "ends": attempt.deadline and _format_moment(attempt.deadline, zone),
            "reason": reason,
            "address": attempt.get_absolute_url(),
        },
    )


def _format_moment(when: datetime, zone: str) -> str:
    """Return a time in the class's time zone, in words."""
    there = timezone.localtime(when, ZoneInfo(zone))
    return f"{date_format(there, 'j M Y, H:i')} ({zone})"
