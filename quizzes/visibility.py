"""Who sees whose attempts, beside administrators, who see all.

Quizzes know no classes. Whoever gives quizzes to people registers a provider, which says whose
attempts somebody sees. `Attempt.objects.visible_to` asks; what belongs to attempts follows it.
"""

from functools import reduce
from operator import or_
from typing import Any, Protocol

from django.db.models import Q
from django.utils.translation import gettext as _


class Provider(Protocol):
    """Gives quizzes to people."""

    def attempts_seen_by(self, user: Any) -> Q:
        """Return the condition, said of attempts, that holds of those this person sees."""


_providers: list[Provider] = []


def register(provider: Provider) -> None:
    """Let somebody show attempts to people."""
    _providers.append(provider)


def attempts_seen_by(user: Any) -> Q | None:
    """Return the condition that holds of the attempts this person sees; None: they see none."""
    if not (user.is_authenticated and _providers):
        return None
    return reduce(or_, (each.attempts_seen_by(user) for each in _providers))


def number_of(student_key: int) -> str:
    """Return what a student is called before whoever may not know who that is."""
    return _("Student %(number)s") % {"number": student_key}
