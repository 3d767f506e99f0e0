"""The content of a lesson's page, rendered and in order.

It is rendered once for everybody; the page's template adds the reader's progress, quizzes and
practice.
"""

import re
from collections.abc import Iterable, Mapping
from functools import lru_cache
from html import unescape
from typing import Any, NamedTuple

from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.text import slugify
from django.utils.translation import get_language, gettext_lazy
from django.utils.translation import gettext as _

from design.fragments import render_fragment
from lessons.errors import ContentError
from lessons.markdown.glossary import MarkedWord
from lessons.markdown.pictures import Picture, Pictures
from lessons.models import Lesson, Word
from lessons.pages.downloads import with_downloads
from lessons.pages.notebooks import has_code
from lessons.pages.pacing import section_minutes
from lessons.pages.queries import pictures_in
from lessons.rendering import render_markdown

# Links that authors wrote, recognised by what the sanitiser adds to each of them.
_LINK = re.compile(r'<a href="(?P<url>[^"#][^"]*)"(?: title="[^"]*")? rel="noopener noreferrer"')

# The parts that prepare the reader, with their headings on the page.
BEFORE = {
    "today": gettext_lazy("What we’re learning"),
    "big_question": gettext_lazy("The big question"),
    "outcomes": gettext_lazy("You’ll be able to"),
}
# Parts that are folded, or the first section would begin six screens down on a phone.
FOLDED_BEFORE = {
    "fits": gettext_lazy("How this lesson fits"),
    "why_care": gettext_lazy("Why it matters"),
    "uses": gettext_lazy("Where it’s used"),
    "analogy": gettext_lazy("Think of it like this"),
    "easy_mistake": gettext_lazy("An easy mistake"),
    "able_to_say": gettext_lazy("By the end you should be able to say"),
    "think_first": gettext_lazy("Think about this first"),
}


class _Word(NamedTuple):
    pk: int
    term: str
    other_forms: tuple[str, ...]
    meaning: str


class _Section(NamedTuple):
    pk: int
    slug: str
    title: str
    body: str


class _PageSource(NamedTuple):
    """The authors' texts that the page shows, as a cache key."""

    slug: str
    minutes: int
    parts: tuple[str, ...]
    words: tuple[_Word, ...]
    sections: tuple[_Section, ...]


def lesson_page(lesson: Lesson) -> Mapping[str, Any]:
    """Return the content of a lesson's page that is the same for all readers.

    `opening` is everything before the sections, `words` are the glossary's as the page explains
    them, and `meanings` the explanations that they unfold; `addresses` are the links' URLs in
    order, to be printed as footnotes. Each of the `sections` has its heading, left open for what
    the page adds for the reader, its reading time, and the URL that marks it as read.
    """
    written = _PageSource(
        lesson.slug,
        lesson.minutes,
        tuple(getattr(lesson, part) for part in Lesson.PARTS),
        tuple(
            _Word(word.pk, word.term, tuple(word.other_forms), word.meaning)
            for word in lesson.words.all()
        ),
        tuple(
            _Section(section.pk, section.slug, section.title, section.body)
            for section in lesson.sections.all()
        ),
    )
    pictures = pictures_in(lesson.texts())
    return _rendered(written, tuple(pictures.items()), get_language())


# Cached by content, so an edit renders anew.
@lru_cache(maxsize=64)
def _rendered(
    written: _PageSource, pictures: tuple[tuple[str, Picture], ...], _language: str | None
) -> Mapping[str, Any]:
    known = dict(pictures)
    marked = marked_words(written.words)
    minutes = section_minutes([section.body for section in written.sections], written.minutes)

    def around(text: str) -> SafeString:
        """Return text outside the sections, where only words that the author marks are marked."""
        return render_or_explain(text, known, words=marked, automatic=False)

    parts = dict(zip(Lesson.PARTS, map(around, written.parts), strict=True))
    before, folded = (
        [
            {"key": key, "title": title, "html": parts[key]}
            for key, title in some.items()
            if parts[key]
        ]
        for some in (BEFORE, FOLDED_BEFORE)
    )
    words = tuple(explain(word, around(word.meaning)) for word in written.words)
    sections = tuple(
        {
            "key": section.slug,
            "title": section.title,
            "html": render_fragment(
                "lessons/_section.html",
                key=section.slug,
                title=section.title,
                html=with_downloads(
                    render_or_explain(section.body, known, words=marked), written.slug, section.slug
                ),
            ),
            "pk": section.pk,
            "reading": reverse("lessons:read", args=[written.slug, section.slug]),
            "minutes": _("%(minutes)s min") % {"minutes": of_it},
        }
        for section, of_it in zip(written.sections, minutes, strict=True)
    )
    after = {key: parts[key] for key in ("comparison", "big_story", "elsewhere")}
    texts = [*(piece["html"] for piece in (*before, *folded, *words, *sections)), *after.values()]
    return {
        "opening": render_fragment(
            "lessons/_opening.html", before=before, folded=folded, words=words
        ),
        "words": words,
        "meanings": render_fragment("lessons/_meanings.html", words=words),
        "sections": sections,
        "addresses": tuple(
            unescape(link["url"]) for text in texts for link in _LINK.finditer(text)
        ),
        "has_formulas": any("<math" in text for text in texts),
        "has_code": any(has_code(section.body) for section in written.sections),
        "has_italics": any("<em>" in text for text in texts),
        **after,
    }


def render_or_explain(
    text: str, pictures: Pictures, *, words: Iterable[MarkedWord] = (), automatic: bool = True
) -> SafeString:
    """Return the text rendered, or a message if it is not valid, so that the page still works."""
    try:
        return render_markdown(text, words=words, automatic=automatic, pictures=pictures)
    except ContentError as error:
        message = _("This part can’t be shown. %(trouble)s") % {"trouble": error}
        return format_html('<p class="broken">{}</p>', message)


def marked_words(words: Iterable[Word | _Word]) -> tuple[MarkedWord, ...]:
    """Return the words of a lesson in the form in which texts mark them."""
    return tuple(MarkedWord((word.term, *word.other_forms), html_id(word)) for word in words)


def explain(word: Word | _Word, html: SafeString) -> dict[str, Any]:
    """Return a glossary word with its explanation, as pages show it."""
    return {"term": word.term, "html_id": html_id(word), "html": html}


def html_id(word: Word | _Word) -> str:
    """Return the id of the word's explanation in the page."""
    return f"meaning-{slugify(word.term) or word.pk}"
