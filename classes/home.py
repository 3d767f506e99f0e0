"""What classes add to a student's home: the classes somebody is in."""

from typing import Any

from django.http import HttpRequest

from classes.access.queries import TEACHING, memberships_of
from classes.people.views.joining import waits_for
from quizzes.home.extensions import Part


def part(request: HttpRequest) -> Part:
    """The classes of whoever asks, and the one that waits to be joined."""
    about: dict[str, Any] = {
        "places": memberships_of(request.user.pk),
        "teaching": TEACHING,
        "waits": waits_for(request),
    }
    return Part(template="classes/_my_classes.html", about=about)
