"""A registry for what other apps add to lesson pages, since lessons import none of them.

An app with practice or progress to show beside lessons registers an `Extension` when it is ready.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from django.db.models import QuerySet
from django.utils.safestring import SafeString

from lessons.models import Lesson, Section


@dataclass(frozen=True)
class Link:
    """A text with a URL.

    Attributes:
        begins: whether a student who presses it begins at once, by a POST; it leads others there.
    """

    text: str
    url: str
    begins: bool = field(default=False, kw_only=True)


@dataclass(frozen=True)
class Reference(Link):
    """A page to look something up; `about` is what the search reads and quotes of it."""

    about: str


@dataclass(frozen=True)
class Result(Link):
    """A result beside a lesson; one that is passed finishes the lesson."""

    passed: bool


@dataclass(frozen=True)
class Card:
    """An activity after a lesson: a line in the catalogue and the lesson's contents, and a card.

    Attributes:
        style: the style that sets it apart in the contents.
        name: its name there.
        link: its text in the catalogue, and where it leads.
        anchor: the id that its template gives the card.
        skip: the text of the link that skips the lesson to get there.
        about: further data for the template.
    """

    style: str
    name: str
    link: Link
    anchor: str
    skip: str
    template: str
    about: Any


@dataclass(frozen=True)
class Exercise:
    """A problem to be typed at the end of a section, marked at once.

    Attributes:
        opening: its HTML up to the place in its form for a token.
        rest: its HTML after that.
        taught_at: the URL of the section that teaches it.
        assets: the names of the style sheets and scripts that it needs.
    """

    opening: SafeString
    rest: SafeString
    taught_at: str
    assets: tuple[str, ...]


class Extension(Protocol):
    """The interface of an extension. Its methods take many rows at once."""

    def practice(self, sections: Sequence[Section]) -> dict[int, list[Link]]:
        """Return links for practising each section, by primary key."""

    def exercises(
        self, sections: Sequence[Section], rungs: Mapping[int, int] | None
    ) -> dict[int, list[Exercise]]:
        """Return the exercise that ends each section, by primary key.

        `rungs` has the student's rungs by section; it is None for visitors.
        """

    def warm_up(self, lesson: Lesson, *, is_known: bool) -> list[Exercise]:
        """Return exercises of earlier lessons to open this one with, for students or visitors."""

    def cards(self, student: Any, lessons: Sequence[Lesson]) -> dict[int, list[Card]]:
        """Return the activities after each lesson, by primary key, for a user or a visitor."""

    def progress(self, student: Any, lessons: Sequence[Lesson]) -> dict[int, list[Result]]:
        """Return a student's results besides reading, by the lessons' primary keys."""

    def trials(self) -> list[Link]:
        """Return links to what visitors without an account can try."""

    def references(self) -> list[Reference]:
        """Return links to reference pages beside the lessons."""

    def families(self) -> Iterable[str]:
        """Return the keys of all families of problems that a section can teach."""

    def texts(self, user: Any) -> tuple[list[str], list[str]]:
        """Return the texts beside the lessons that this author may read, and all others."""

    def showing(self, image: str) -> QuerySet[Any]:
        """Return published rows beside the lessons that show the image of this name."""

    def shown_to(self, student: Any, image: str) -> QuerySet[Any]:
        """Return rows shown to this student with the image of this name, published or not."""


_extensions: list[Extension] = []
_shown: list[Callable[[Any, str], QuerySet[Any]]] = []


def register(extension: Extension) -> None:
    """Register an extension."""
    _extensions.append(extension)


def register_image_visibility(shown: Callable[[Any, str], QuerySet[Any]]) -> None:
    """Register a function that returns the rows shown to a user with an image."""
    _shown.append(shown)


def practice(sections: Sequence[Section]) -> dict[int, list[Link]]:
    """Return links for practising these sections, by primary key."""
    return _merged(extension.practice(sections) for extension in _extensions)


def exercises(
    sections: Sequence[Section], rungs: Mapping[int, int] | None
) -> dict[int, list[Exercise]]:
    """Return the exercises that end these sections, by primary key."""
    return _merged(extension.exercises(sections, rungs) for extension in _extensions)


def warm_up(lesson: Lesson, *, is_known: bool) -> list[Exercise]:
    """Return the exercises of earlier lessons that open this one."""
    return [
        each for extension in _extensions for each in extension.warm_up(lesson, is_known=is_known)
    ]


def cards(student: Any, lessons: Sequence[Lesson]) -> dict[int, list[Card]]:
    """Return the activities after these lessons, by primary key, for a user or a visitor."""
    return _merged(extension.cards(student, lessons) for extension in _extensions)


def progress(student: Any, lessons: Sequence[Lesson]) -> dict[int, list[Result]]:
    """Return this student's results besides reading, by the lessons' primary keys."""
    return _merged(extension.progress(student, lessons) for extension in _extensions)


def trials() -> list[Link]:
    """Return links to what visitors without an account can try."""
    return [link for extension in _extensions for link in extension.trials()]


def references() -> list[Reference]:
    """Return links to reference pages beside the lessons."""
    return [link for extension in _extensions for link in extension.references()]


def families() -> set[str]:
    """Return the keys of all families of problems."""
    return {key for extension in _extensions for key in extension.families()}


def texts(user: Any) -> list[tuple[list[str], list[str]]]:
    """Return each extension's texts: those this author may read, and those of all others."""
    return [extension.texts(user) for extension in _extensions]


def published_rows_showing(image: str) -> list[QuerySet[Any]]:
    """Return published rows beside the lessons that show this image."""
    return [extension.showing(image) for extension in _extensions]


def rows_shown_to(user: Any, image: str) -> list[QuerySet[Any]]:
    """Return rows shown to this user with this image; none for visitors."""
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
