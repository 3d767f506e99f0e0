"""The pools of a quiz: what is frozen, and what freezing them again would change."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from django.utils.text import Truncator

from quizzes.authoring.services.pools import PoolChange
from quizzes.items.presenters import texts
from quizzes.models import ConceptQuestion

LONGEST = 90


@dataclass(frozen=True)
class PooledLine:
    """One question of a pool, with its first words; by its key alone where it is not asked."""

    key: str
    words: str
    pk: int | None = None


@dataclass(frozen=True)
class ShownPool:
    """What a quiz asks on one topic, and would ask.

    Attributes:
        changes: would it change if it were frozen again?
    """

    title: str
    changes: bool
    kept: tuple[PooledLine, ...]
    added: tuple[PooledLine, ...]
    left_out: tuple[PooledLine, ...]


def shown_pools(changes: Iterable[PoolChange], titles: Mapping[str, str]) -> list[ShownPool]:
    """By what their topics are called."""
    pools = [
        ShownPool(
            title=titles.get(change.topic, change.topic),
            changes=change.changes,
            kept=tuple(map(_line, change.kept)),
            added=tuple(map(_line, change.added)),
            left_out=tuple(PooledLine(key, "") for key in change.left_out),
        )
        for change in changes
    ]
    return sorted(pools, key=lambda pool: pool.title)


def _line(question: ConceptQuestion) -> PooledLine:
    words = " ".join(texts.plain(question.prompt).split())
    return PooledLine(question.key, Truncator(words).chars(LONGEST), question.pk)
