"""Checks of references: to lessons, sections, images, glossary words and families of problems.

Saving reports errors to authors. A page still shows a text whose references broke later.
"""

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from functools import cached_property

from django.utils.translation import gettext as _
from markdown_it.token import Token

from lessons import extensions
from lessons.errors import ContentError, missing_name_message
from lessons.markdown.glossary import explicit_words
from lessons.markdown.parsing import inline_tokens
from lessons.markdown.pictures import IMAGE
from lessons.models import Lesson, LessonImage, Section

LESSON = "lesson:"
# Headings that every lesson's page may have besides its sections.
PAGE_PARTS = frozenset({"comparison", "elsewhere"})


@dataclass(frozen=True)
class KnownReferences:
    """Everything a text can refer to: what is stored, and the lesson as it is being written."""

    slug: str = ""
    sections: Collection[str] = ()
    words: Collection[str] = ()

    @cached_property
    def lessons(self) -> dict[str, set[str]]:
        """Every lesson, with its sections."""
        found = {slug: set() for slug in Lesson.objects.values_list("slug", flat=True)}
        for lesson, slug in Section.objects.values_list("lesson__slug", "slug"):
            found[lesson].add(slug)
        return found | {self.slug: set(self.sections)}

    @cached_property
    def images(self) -> set[str]:
        return set(LessonImage.objects.values_list("name", flat=True))

    @cached_property
    def families(self) -> set[str]:
        return extensions.families()

    @cached_property
    def forms(self) -> set[str]:
        return {word.lower() for word in self.words}


def check_references(text: str, known: KnownReferences) -> None:
    """Check that everything a text refers to exists.

    Raises:
        ContentError: with the line of the first missing reference.
    """
    for token, line in inline_tokens(text or ""):
        for trouble in _troubles(token, known):
            raise ContentError(trouble, line=line)


def check_family(key: str, known: KnownReferences) -> None:
    """Check that a family of problems exists; without any families all keys are accepted.

    Raises:
        ContentError: with the family that may have been meant.
    """
    if known.families and key not in known.families:
        words = _("there’s no family of problems “%(name)s”")
        raise ContentError(missing_name_message(words, key, known.families))


def _troubles(token: Token, known: KnownReferences) -> Iterator[str]:
    if token.type == "link_open":
        yield from _broken_link(str(token.attrs["href"]), known)
    elif token.type == "image":
        name = str(token.attrs["src"]).removeprefix(IMAGE)
        if name not in known.images:
            yield missing_name_message(
                _("there’s no image “%(name)s”; upload it first"), name, known.images
            )
    elif token.type == "text":
        for word in explicit_words(token.content):
            if word.lower() not in known.forms:
                words = _("the lesson’s glossary has no word “%(name)s”")
                yield missing_name_message(words, word, known.words)


def _broken_link(href: str, known: KnownReferences) -> Iterator[str]:
    if not href.startswith((LESSON, "#")):
        return
    slug, _hash, section = href.removeprefix(LESSON).partition("#")
    slug = slug or known.slug
    if slug not in known.lessons:
        yield missing_name_message(_("there’s no lesson “%(name)s”"), slug, known.lessons)
    elif section and section not in known.lessons[slug] | PAGE_PARTS:
        words = _("the lesson “%(lesson)s” has no section “%(name)s”")
        yield missing_name_message(words, section, known.lessons[slug], lesson=slug)


def broken_links() -> list[tuple[Lesson, str]]:
    """Return all links to lessons and sections that no longer exist, each with its lesson."""
    known = KnownReferences()
    return [
        (lesson, trouble)
        for lesson in Lesson.objects.prefetch_related("sections", "words")
        for text in lesson.texts()
        if f"({LESSON}" in text
        for token, _line in inline_tokens(text)
        if token.type == "link_open" and str(token.attrs["href"]).startswith(LESSON)
        for trouble in _broken_link(str(token.attrs["href"]), known)
    ]
