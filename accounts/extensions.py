"""Registry of sections that other apps add to the account page."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from django.http import HttpRequest


@dataclass(frozen=True)
class Section:
    """A section of the account page: a template, and `about` for its context.

    within: the section it is part of, for example "notifications"; "" for a section of its own.
    """

    template: str
    about: Any = None
    within: str = ""


_sections: list[Callable[[HttpRequest], Section | None]] = []


def register(section: Callable[[HttpRequest], Section | None]) -> None:
    """Register a function that returns a section, or None where there is nothing to show."""
    _sections.append(section)


def sections(request: HttpRequest) -> list[Section]:
    """Return the registered sections that have something to show for this request."""
    return [found for section in _sections if (found := section(request))]
