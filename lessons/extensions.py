"""What others add to the pages of lessons. Lessons know none of them: each registers itself.

Whoever has something to practise or to report stands beside the lessons and answers here when a
page is made; `register` is called when its app is ready.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from django.db.models import QuerySet

from lessons.models import Lesson, Section


@dataclass(frozen=True)
class Link:
    """Words that lead somewhere."""

    text: str
    url: str


@dataclass(frozen=True)
class Card:
    """Something to do after a lesson: a line in the catalogue and in the lesson's contents, and a
    card at its end.

    style: by which the contents set it apart. name: what they call it; link: what the catalogue
    says of it, and where it leads. anchor: the id that its template gives the card. about: what
    else the template shows.
    """

    style: str
    name: str
    link: Link
    anchor: str
    template: str
    about: Any


class Extension(Protocol):
    """What an extension is asked, always for many rows at once."""

    def practice(self, sections: Sequence[Section]) -> dict[int, list[Link]]:
        """Where each section can be practised, by its primary key."""

    def cards(self, lessons: Sequence[Lesson]) -> dict[int, list[Card]]:
        """What there is to do after each lesson, by its primary key."""

    def progress(self, student: Any, lessons: Sequence[Lesson]) -> dict[int, list[Link]]:
        """What a student has done beside reading each lesson, by its primary key."""

    def trials(self) -> list[Link]:
        """What somebody may try at once who has no account."""

    def references(self) -> list[Link]:
        """Return links to what one can look things up in, beside the lessons."""

    def families(self) -> Iterable[str]:
        """The keys of all families of problems that a section may say it teaches."""

    def texts(self, user: Any) -> tuple[list[str], list[str]]:
        """The texts beside the lessons that this author may read, and those of all others."""

    def showing(self, image: str) -> QuerySet[Any]:
        """What is published beside the lessons and shows the image of this name."""

    def shown_to(self, student: Any, image: str) -> QuerySet[Any]:
        """What this student was shown with the image of this name in it, published or not."""


_extensions: list[Extension] = []
_shown: list[Callable[[Any, str], QuerySet[Any]]] = []


def register(extension: Extension) -> None:
    """Ask this extension too, from now on."""
    _extensions.append(extension)


def register_shown(shown: Callable[[Any, str], QuerySet[Any]]) -> None:
    """Ask this too, from now on, what somebody may see with an image in it."""
    _shown.append(shown)


def practice(sections: Sequence[Section]) -> dict[int, list[Link]]:
    """Where these sections can be practised, by their primary keys."""
    return _merged(extension.practice(sections) for extension in _extensions)


def cards(lessons: Sequence[Lesson]) -> dict[int, list[Card]]:
    """What there is to do after these lessons, by their primary keys."""
    return _merged(extension.cards(lessons) for extension in _extensions)


def progress(student: Any, lessons: Sequence[Lesson]) -> dict[int, list[Link]]:
    """What this student has done beside reading, by the primary keys of lessons."""
    return _merged(extension.progress(student, lessons) for extension in _extensions)


def trials() -> list[Link]:
    """What somebody may try at once who has no account."""
    return [link for extension in _extensions for link in extension.trials()]


def references() -> list[Link]:
    """Return links to what one can look things up in, beside the lessons."""
    return [link for extension in _extensions for link in extension.references()]


def families() -> set[str]:
    """The keys of all families of problems that there are to practise."""
    return {key for extension in _extensions for key in extension.families()}


def texts(user: Any) -> list[tuple[list[str], list[str]]]:
    """Return what is written beside the lessons: what this author may read, and what not."""
    return [extension.texts(user) for extension in _extensions]


def showing(image: str) -> list[QuerySet[Any]]:
    """What is published beside the lessons and shows this image."""
    return [extension.showing(image) for extension in _extensions]


def shown_to(user: Any, image: str) -> list[QuerySet[Any]]:
    """What this person is shown with this image in it; nothing where nobody is logged in."""
    if not user.is_authenticated:
        return []
    shown = [*(extension.shown_to for extension in _extensions), *_shown]
    return [each(user, image) for each in shown]


def _merged[Added](answers: Iterable[dict[int, list[Added]]]) -> dict[int, list[Added]]:
    merged: dict[int, list[Added]] = {}
    for answer in answers:
        for key, added in answer.items():
            merged.setdefault(key, []).extend(added)
    return merged
