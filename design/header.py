"""Extension points: the counts in the header of what is due for a user, and waits for staff.

The first is beside *Home*, the second beside *Teach*.

Design knows no quizzes and no classes. An app registers a function when it is ready, and the header
asks it on each page of a user; visitors' pages stay the same for all.
"""

from collections.abc import Callable
from typing import Any

_counts: list[Callable[[Any], int]] = []
_waiting: list[Callable[[Any], int]] = []


def register(count: Callable[[Any], int]) -> None:
    """Register a function that counts what is due for a user."""
    _counts.append(count)


def due_count(user: Any) -> int:
    """Return how much is due for this user now."""
    return sum(count(user) for count in _counts)


def register_waiting(count: Callable[[Any], int]) -> None:
    """Register a function that counts what waits for a user of the staff."""
    _waiting.append(count)


def waiting_count(user: Any) -> int:
    """Return how much waits for this user of the staff now."""
    return sum(count(user) for count in _waiting)
