"""Skills to practise without a quiz: problem families, and topics of concept questions."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

from quizzes.problems.answers import is_choice

FAMILY, TOPIC = "family", "topic"
# The mistakes of an attempt, practised together; the key is the attempt's primary key.
MISTAKES = "mistakes"
# The skills due on a day; the key is the day and a number for each practice: 2026-11-23-1.
TODAY = "today"


@dataclass(frozen=True)
class Skill:
    """A family or topic to practise, or one of the mixtures above.

    `str` gives its name in rows, `family:cosine`, and `parse` reads that back.
    """

    of: str
    key: str

    @classmethod
    def of_item(cls, asked: Mapping[str, Any]) -> Self:
        """Return the skill that an item asks for, by its wording."""
        return cls(TOPIC, asked["topic"]) if is_choice(asked) else cls(FAMILY, asked["family"])

    @classmethod
    def parse(cls, text: str) -> Self:
        return cls(*text.split(":", 1))

    def __str__(self) -> str:
        return f"{self.of}:{self.key}"

    @property
    def is_numeric(self) -> bool:
        """Whether it is a family, whose variants have numbers."""
        return self.of == FAMILY
