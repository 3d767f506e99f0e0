"""Sections that classes add to a student's home and to an account."""

from typing import Any

from django.http import HttpRequest
from django.urls import reverse

from accounts.extensions import Section
from classes.access.queries import TEACHING, memberships_of
from classes.people.views.joining import waits_for
from quizzes.home.extensions import Part


def part(request: HttpRequest) -> Part:
    """Return the section with the user's classes, and the class that waits to be joined."""
    code = waits_for(request)
    about: dict[str, Any] = {
        "places": memberships_of(request.user.pk),
        "teaching": TEACHING,
        "waits": reverse("classes:join", args=[code]) if code else "",
    }
    return Part(template="classes/_my_classes.html", about=about)


def calendar(request: HttpRequest) -> Section:
    """Return the section that links to the calendar's settings."""
    return Section("classes/assignments/_account.html", within="notifications")
