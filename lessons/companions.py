"""What others add to the pages of lessons. Lessons know none of them: each registers itself.

Whoever has something to practise or to report stands beside the lessons and answers here when a
page is made; `register` is called when its app is ready.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from lessons.models import Lesson, Section


@dataclass(frozen=True)
class Link:
    """Words that lead somewhere."""

    text: str
    url: str


class Companion(Protocol):
    """What a companion is asked, always for many rows at once."""

    def practice(self, sections: Sequence[Section]) -> dict[int, list[Link]]:
        """Where each section can be practised, by its primary key."""

    def progress(self, student: Any, lessons: Sequence[Lesson]) -> dict[int, list[Link]]:
        """What a student has done beside reading each lesson, by its primary key."""

    def families(self) -> Iterable[str]:
        """The keys of all families of problems that a section may say it teaches."""


_companions: list[Companion] = []


def register(companion: Companion) -> None:
    """Ask this companion too, from now on."""
    _companions.append(companion)


def practice(sections: Sequence[Section]) -> dict[int, list[Link]]:
    """Where these sections can be practised, by their primary keys."""
    return _merged(companion.practice(sections) for companion in _companions)


def progress(student: Any, lessons: Sequence[Lesson]) -> dict[int, list[Link]]:
    """What this student has done beside reading, by the primary keys of lessons."""
    return _merged(companion.progress(student, lessons) for companion in _companions)


def families() -> set[str]:
    """The keys of all families of problems that there are to practise."""
    return {key for companion in _companions for key in companion.families()}


def _merged(answers: Iterable[dict[int, list[Link]]]) -> dict[int, list[Link]]:
    merged: dict[int, list[Link]] = {}
    for answer in answers:
        for key, links in answer.items():
            merged.setdefault(key, []).extend(links)
    return merged
