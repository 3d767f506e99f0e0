"""Extension point: the count beside *Home* in the header of what is due for a user.

Design knows no quizzes. An app registers a function when it is ready, and the header asks it on
each page of a user; visitors' pages stay the same for all.
"""

from collections.abc import Callable
from typing import Any

_counts: list[Callable[[Any], int]] = []


def register(count: Callable[[Any], int]) -> None:
    """Register a function that counts what is due for a user."""
    _counts.append(count)


def due_count(user: Any) -> int:
    """Return how much is due for this user now."""
    return sum(count(user) for count in _counts)
