"""Sections that classes add to a student's home and to an account."""

from typing import Any

from django.http import HttpRequest
from django.urls import reverse

from accounts.extensions import Section
from classes.access.names import distinct_names
from classes.access.queries import STAFF_ROLES, memberships_of
from classes.people.views.joining import pending_code
from quizzes.home.extensions import Part


def classes_part(request: HttpRequest) -> Part:
    """Return the section with the user's classes, and the class that waits to be joined."""
    code, places = pending_code(request), memberships_of(request.user.pk)
    about: dict[str, Any] = {
        "places": places,
        "names": distinct_names(place.course for place in places),
        "teaching": STAFF_ROLES,
        "waits": reverse("classes:join", args=[code]) if code else "",
    }
    return Part(template="classes/_my_classes.html", about=about)


def calendar_section(request: HttpRequest) -> Section:
    """Return the section that links to the calendar's settings."""
    return Section("classes/assignments/_account.html", within="notifications")
