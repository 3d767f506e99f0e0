"""What others add to a student's home. Quizzes know none of them: each registers itself.

`register` is called when an app is ready, as with `lessons/extensions.py`.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from django.http import HttpRequest


@dataclass(frozen=True)
class Part:
    """A part of the page: its template, one of Jinja2's, and what that shows as `about`."""

    template: str
    about: Any


_parts: list[Callable[[HttpRequest], Part]] = []


def register(part: Callable[[HttpRequest], Part]) -> None:
    """Show this part on everybody's home, too, from now on."""
    _parts.append(part)


def parts(request: HttpRequest) -> list[Part]:
    """What others add to the home of whoever asks."""
    return [part(request) for part in _parts]
