"""What can be practised without a quiz: a problem family, or a topic of concept questions."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

from quizzes.problems.answers import is_choice

FAMILY, TOPIC = "family", "topic"
# What went wrong in an attempt: practised together, by the attempt's primary key.
MISTAKES = "mistakes"
# What is due on a day, by the day and how many such practices there have been: 2026-11-23-1.
TODAY = "today"


@dataclass(frozen=True)
class Skill:
    """A skill; `str` of it, `family:cosine`, is its name in rows, and `parse` reads that back.

    It is `of` a family or of a topic.
    """

    of: str
    key: str

    @classmethod
    def of_item(cls, asked: Mapping[str, Any]) -> Self:
        """What an item asks for, by its wording."""
        return cls(TOPIC, asked["topic"]) if is_choice(asked) else cls(FAMILY, asked["family"])

    @classmethod
    def parse(cls, text: str) -> Self:
        return cls(*text.split(":", 1))

    def __str__(self) -> str:
        return f"{self.of}:{self.key}"

    @property
    def is_numeric(self) -> bool:
        """Is it a family, whose variants have numbers?"""
        return self.of == FAMILY
