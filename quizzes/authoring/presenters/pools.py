"""The pools of a quiz: frozen questions, and what freezing them again would change."""

from collections.abc import Iterable, Mapping
from typing import Any

from django.utils.text import Truncator

from quizzes.authoring.services.pools import PoolChange
from quizzes.items.presenters import texts
from quizzes.models import ConceptQuestion

MAX_PROMPT_LENGTH = 90


type Line = tuple[str, str, int | None]


def pools_context(changes: Iterable[PoolChange], titles: Mapping[str, str]) -> list[dict[str, Any]]:
    """Return the questions on each topic, now and if its pool were frozen again, by title.

    Each question has its key, first words and primary key; one that is not asked any more only its
    key.
    """
    pools = [
        {
            "title": titles.get(change.topic, change.topic),
            "kept": [*map(_line, change.kept)],
            "added": [*map(_line, change.added)],
            "left_out": [(key, "", None) for key in change.left_out],
        }
        for change in changes
    ]
    return sorted(pools, key=lambda pool: pool["title"])


def _line(question: ConceptQuestion) -> Line:
    words = " ".join(texts.strip_markup(question.prompt).split())
    return question.key, Truncator(words).chars(MAX_PROMPT_LENGTH), question.pk
