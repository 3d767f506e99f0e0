"""Problems in rows that somebody may read, and those that are open to everybody's practice."""

from typing import Any

from django.db.models import Exists, OuterRef, QuerySet

from quizzes import problems
from quizzes.models import WrittenProblem
from quizzes.written.loading import newest_versions


def is_written(key: str) -> bool:
    """Return whether a family's key is that of a problem in rows."""
    return key.startswith(problems.OWN)


def drawable_problems() -> QuerySet[WrittenProblem]:
    """Return the newest published version of each problem; no query finds that there is none."""
    if not (newest := newest_versions()):
        return WrittenProblem.every.none()
    later = WrittenProblem.every.published().filter(
        key=OuterRef("key"), version__gt=OuterRef("version")
    )
    return WrittenProblem.every.published().filter(~Exists(later), key__in=newest)


def readable_problems(user: Any) -> dict[str, WrittenProblem]:
    """Return the problems that an instructor may ask in quizzes, by key: their newest versions."""
    if not user.is_staff:
        return {}
    return {row.key: row for row in drawable_problems().visible_to(user)}


def open_keys() -> frozenset[str]:
    """Return the keys of the problems that everybody may practise: shared with all instructors."""
    return frozenset(drawable_problems().visible_to_all().values_list("key", flat=True))


def may_ask(user: Any, key: str) -> bool:
    """Return whether an instructor may look at a family, and have a quiz ask it."""
    return not is_written(key) or key in readable_problems(user)
