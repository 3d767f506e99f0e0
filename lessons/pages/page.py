"""What the page of a lesson shows, rendered and in order."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property, lru_cache
from html import unescape

from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.text import slugify
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from lessons import extensions
from lessons.errors import ContentError
from lessons.extensions import Link
from lessons.markdown.glossary import MarkedWord
from lessons.markdown.pictures import Pictures
from lessons.models import Lesson, Word
from lessons.pages.downloads import with_downloads
from lessons.pages.pacing import section_minutes
from lessons.pages.queries import pictures_in
from lessons.rendering import render_markdown

# Links that authors wrote, told by what the sanitiser adds to each of them.
_LINK = re.compile(r'<a href="(?P<url>[^"#][^"]*)"(?: title="[^"]*")? rel="noopener noreferrer"')

# The parts that prepare the reader, with the words the page has for them.
BEFORE = {
    "today": gettext_lazy("What we are learning"),
    "fits": gettext_lazy("How this lesson fits"),
    "big_question": gettext_lazy("The big question"),
    "outcomes": gettext_lazy("You will be able to"),
    "why_care": gettext_lazy("Why care"),
    "uses": gettext_lazy("Where it is used"),
    "analogy": gettext_lazy("Think of it like this"),
    "easy_mistake": gettext_lazy("An easy mistake"),
    "able_to_say": gettext_lazy("By the end you should be able to say"),
    "think_first": gettext_lazy("Think about this first"),
}


@dataclass(frozen=True)
class Part:
    """A piece of the page: its heading, its anchor, its text."""

    key: str
    title: str
    html: SafeString


@dataclass(frozen=True)
class ShownSection(Part):
    """A section: how long it takes, and where it can be practised."""

    pk: int
    minutes: int
    practice: list[Link]


@dataclass(frozen=True)
class Meaning:
    """A word of the glossary as the page explains it."""

    term: str
    html_id: str
    html: SafeString


@dataclass(frozen=True)
class LessonPage:
    """Everything on the page of a lesson that is the lesson's own."""

    lesson: Lesson
    before: list[Part]
    words: list[Meaning]
    sections: list[ShownSection]
    comparison: SafeString | str
    big_story: SafeString | str
    elsewhere: SafeString | str

    @property
    def has_formulas(self) -> bool:
        """Whether the page will want the font of formulas."""
        return any("<math" in text for text in self._texts)

    @cached_property
    def addresses(self) -> list[str]:
        """Where the links in the text lead, in their order, to be printed as footnotes."""
        return [address for text in self._texts for address in _addresses(text)]

    @property
    def _texts(self) -> list[str]:
        """All the HTML of the page, in its order."""
        pieces = (*self.before, *self.words, *self.sections, *self.after)
        return [getattr(piece, "html", piece) for piece in pieces]

    @property
    def after(self) -> tuple[SafeString | str, ...]:
        return (self.comparison, self.big_story, self.elsewhere)


@lru_cache(maxsize=1024)
def _addresses(html: str) -> tuple[str, ...]:
    return tuple(unescape(link["url"]) for link in _LINK.finditer(html))


def lesson_page(lesson: Lesson) -> LessonPage:
    """Render a lesson for its page."""
    words = list(lesson.words.all())
    marked = marked_words(words)
    sections = list(lesson.sections.all())
    minutes = section_minutes([section.body for section in sections], lesson.minutes)
    practice = extensions.practice(sections)
    pictures = pictures_in(lesson.texts())

    def around(text: str) -> SafeString:
        """What stands around the sections: in it, words are marked where the author marks them."""
        return shown(text, pictures, words=marked, automatic=False)

    return LessonPage(
        lesson=lesson,
        before=[
            Part(key, title, around(getattr(lesson, key)))
            for key, title in BEFORE.items()
            if getattr(lesson, key)
        ],
        words=[Meaning(word.term, html_id(word), around(word.meaning)) for word in words],
        sections=[
            ShownSection(
                key=section.slug,
                title=section.title,
                html=with_downloads(shown(section.body, pictures, words=marked), section),
                pk=section.pk,
                minutes=of_it,
                practice=practice.get(section.pk, []),
            )
            for section, of_it in zip(sections, minutes, strict=True)
        ],
        comparison=around(lesson.comparison),
        big_story=around(lesson.big_story),
        elsewhere=around(lesson.elsewhere),
    )


def shown(
    text: str, pictures: Pictures, *, words: Iterable[MarkedWord] = (), automatic: bool = True
) -> SafeString:
    """The text rendered. One that slipped in unchecked must not take the whole page with it."""
    try:
        return render_markdown(text, words=words, automatic=automatic, pictures=pictures)
    except ContentError as error:
        told = _("This part cannot be shown. %(trouble)s") % {"trouble": error}
        return format_html('<p class="broken">{}</p>', told)


def marked_words(words: Iterable[Word]) -> tuple[MarkedWord, ...]:
    """The words of a lesson, as its texts are to mark them."""
    return tuple(MarkedWord((word.term, *word.other_forms), html_id(word)) for word in words)


def html_id(word: Word) -> str:
    """The id of the word's explanation in the page."""
    return f"meaning-{slugify(word.term) or word.pk}"
