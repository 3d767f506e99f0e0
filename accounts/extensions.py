"""Registry of what other apps add to accounts: sections of the account page, and who is staff."""

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
_staff: list[Callable[[Any], bool]] = []


def register(section: Callable[[HttpRequest], Section | None]) -> None:
    """Register a function that returns a section, or None where there is nothing to show."""
    _sections.append(section)


def sections(request: HttpRequest) -> list[Section]:
    """Return the registered sections that have something to show for this request."""
    return [found for section in _sections if (found := section(request))]


def register_staff(is_staff: Callable[[Any], bool]) -> None:
    """Register a function that returns whether a user teaches, whatever their account may do."""
    _staff.append(is_staff)


def is_staff(user: Any) -> bool:
    """Return whether a user is staff of the site, or teaches somewhere on it."""
    return user.is_staff or any(teaches(user) for teaches in _staff)
