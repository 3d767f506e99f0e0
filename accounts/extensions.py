"""What others add to the page of an account, as `quizzes/home/extensions.py` does for a home."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from django.http import HttpRequest


@dataclass(frozen=True)
class Section:
    """A section of the page: its template, and what that shows as `about`."""

    template: str
    about: Any


_sections: list[Callable[[HttpRequest], Section | None]] = []


def register(section: Callable[[HttpRequest], Section | None]) -> None:
    """Show this section, too, to whom there is something to show."""
    _sections.append(section)


def sections(request: HttpRequest) -> Iterator[Section]:
    """What others add to the account of whoever asks."""
    return (found for section in _sections if (found := section(request)))
