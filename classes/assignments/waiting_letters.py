"""The daily letter to staff about what waits for them in a class.

A posted message only names the class and the day. Its lines are those that the class's page shows,
read when the letter is sent; with none of them the letter is dropped.
"""

from collections.abc import Mapping, Sequence
from html import unescape
from typing import Any
from zoneinfo import ZoneInfo

from django.utils import timezone
from django.utils.html import strip_tags
from django.utils.translation import gettext_lazy

from classes.access.queries import CourseAccess, courses_taught, own_access
from classes.assignments.presenters import need_lines
from classes.assignments.queries import assignments_of, needs_of
from classes.assignments.services.mornings import WAITING
from outbox import kinds
from outbox.kinds import Kind


def register() -> None:
    """Register this kind of letter."""
    kinds.register(
        Kind(
            key=WAITING,
            title=gettext_lazy("What’s waiting for you in your classes"),
            template="classes/letters/waiting",
            digest=True,
            starts_off=True,
            is_for=lambda user: courses_taught(user).exists(),
            current_payloads=_payloads,
        )
    )


def _payloads(messages: Sequence[Any]) -> Mapping[int, Mapping[str, Any]]:
    found = {}
    for message in messages:
        access = own_access(message.to, message.payload["course"])
        if access is None or access.course.archived:
            continue
        with timezone.override(ZoneInfo(access.course.time_zone)):
            is_today = timezone.localdate().isoformat() == message.payload["day"]
            if lines := _lines(access) if is_today else ():
                address = access.course.get_absolute_url()
                found[message.pk] = {
                    "course": access.course.title,
                    "lines": lines,
                    "address": address,
                }
    return found


def _lines(access: CourseAccess) -> list[str]:
    """Return what waits, as plain text."""
    assignments = list(assignments_of(access.course))
    needs = needs_of(access, assignments, timezone.now())
    found = need_lines(needs, assignments, {}, access)
    return [": ".join(filter(None, (each["words"], _plain(each["note"])))) for each in found]


def _plain(note: str) -> str:
    # A note is a title as it was typed, or names as HTML.
    return unescape(strip_tags(note)) if hasattr(note, "__html__") else note
