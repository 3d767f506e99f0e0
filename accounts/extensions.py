"""What others add to the page of an account, as `quizzes/home/extensions.py` does for a home."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from django.http import HttpRequest


@dataclass(frozen=True)
class Section:
    """A section of the page: its template, and what that shows as `about`.

    within: the section of the page that it is a part of, "notifications"; "" for one of its own.
    """

    template: str
    about: Any = None
    within: str = ""


_sections: list[Callable[[HttpRequest], Section | None]] = []


def register(section: Callable[[HttpRequest], Section | None]) -> None:
    """Show this section, too, to whom there is something to show."""
    _sections.append(section)


def sections(request: HttpRequest) -> list[Section]:
    """What others add to the account of whoever asks."""
    return [found for section in _sections if (found := section(request))]
