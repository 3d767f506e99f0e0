"""A student's dates as an iCalendar file (RFC 5545).

The file names nobody, because any phone or server with its address can read what is due.
"""

from datetime import UTC
from typing import Any
from urllib.parse import urlsplit

import icalendar
from django.conf import settings
from django.contrib.auth import get_user_model
from django.utils.translation import gettext as _

from classes.assignments import effective_settings
from classes.models import Calendar, Course
from foundation.minutes import start_of_minute
from foundation.tokens import hash_token
from quizzes.delivery.effective_settings import EffectiveSettings


def calendar_of(user: Any) -> Calendar | None:
    """Return the user's calendar, if they have created one."""
    return Calendar.objects.filter(user=user).first()


def user_with_token(token: str) -> Any:
    """Return the user whose calendar has this token; None if there is none any more."""
    found = get_user_model().objects.filter(calendar__token=hash_token(token), is_active=True)
    return found.first()


def render_calendar(user: Any) -> bytes:
    """Return the iCalendar file of a user: an event for each quiz that is due, or else closes."""
    calendar = icalendar.Calendar()
    calendar.add("prodid", "-//Softmark//Softmark//EN")
    calendar.add("version", "2.0")
    calendar.add("method", "PUBLISH")
    calendar.add("x-wr-calname", "Softmark")
    due = [each for each in effective_settings.given_to(user) if each.ends_at]
    courses = Course.objects.in_bulk({each.sitting.assignment.course_id for each in due})
    for each in due:
        course = courses[each.sitting.assignment.course_id]
        calendar.add_component(_event(each, course))
    return calendar.to_ical()


def _event(of: EffectiveSettings, course: Course) -> icalendar.Event:
    assignment, quiz = of.sitting.assignment, of.sitting.quiz
    words = _("%(quiz)s is due") if of.due_at else _("%(quiz)s closes")
    address = settings.SITE_URL + of.sitting.get_absolute_url()
    event = icalendar.Event()
    event.add("uid", f"assignment-{assignment.pk}@{urlsplit(settings.SITE_URL).hostname}")
    event.add("summary", words % {"quiz": quiz.title})
    event.add("dtstart", start_of_minute(of.ends_at).astimezone(UTC))
    event.add("description", f"{course.title}\n{address}")
    event.add("url", address)
    # A date does not make anybody busy.
    event.add("transp", "TRANSPARENT")
    changed = assignment.changed_at.astimezone(UTC).replace(microsecond=0)
    event.add("dtstamp", changed)
    event.add("last-modified", changed)
    event.add("sequence", max(0, int((changed - course.created_at).total_seconds())))
    return event
