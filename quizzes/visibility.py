"""Visibility of attempts: which users may see whose; superusers see all.

Quizzes do not know classes. An app that assigns quizzes registers a provider, which says whose
attempts a user sees. `Attempt.objects.visible_to` asks it; rows that belong to attempts follow.
"""

from functools import reduce
from operator import or_
from typing import Any, Protocol

from django.db.models import Q
from django.utils.translation import gettext as _


class Provider(Protocol):
    """An app that assigns quizzes to students."""

    def attempts_seen_by(self, user: Any) -> Q:
        """Return the condition on attempts that this user may see."""


_providers: list[Provider] = []


def register(provider: Provider) -> None:
    """Register a provider that lets users see attempts."""
    _providers.append(provider)


def attempts_seen_by(user: Any) -> Q | None:
    """Return the condition on attempts that this user may see; None if they see none."""
    if not (user.is_authenticated and _providers):
        return None
    return reduce(or_, (each.attempts_seen_by(user) for each in _providers))


def student_pseudonym(student_key: int) -> str:
    """Return a student's name for users who may not know who it is."""
    return _("Student %(number)s") % {"number": student_key}
