"""Extension point: parts that other apps add to a student's home.

An app calls `register` when it is ready, as with `lessons/extensions.py`.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from django.http import HttpRequest


@dataclass(frozen=True)
class Part:
    """A part of the page: its Jinja2 template, which gets `about`."""

    template: str
    about: Any


_registry: list[Callable[[HttpRequest], Part]] = []


def register(part: Callable[[HttpRequest], Part]) -> None:
    """Add a part to every student's home."""
    _registry.append(part)


def registered_parts(request: HttpRequest) -> list[Part]:
    """Return the registered parts for this request."""
    return [part(request) for part in _registry]
