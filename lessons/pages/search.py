"""Search in lessons, and the reference pages beside them, by words, on any database.

The database only narrows down by ASCII letters, which every database compares alike. The text as
readers see it then decides, ranks and is quoted.
"""

import re
from collections.abc import Iterable, Sequence
from typing import Any

from django.db.models import Q, QuerySet
from django.utils.html import conditional_escape, format_html_join
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext as _

from lessons import extensions
from lessons.markdown.plain import plain_text
from lessons.models import Lesson, Section, Word
from lessons.pages.page import render_or_explain
from lessons.pages.queries import pictures_in

MAX_QUERY_LENGTH = 100
MAX_WORDS = 8
QUOTED = 220  # characters
# A root sign is a word of its own, because it is directly before its operand.
_WORD = re.compile(r"√|\w+")
# Other spellings of a word in texts; the database cannot look for such words.
_ALSO = {"√": ("root",), "root": ("√",), "dk": ("d_k",)}
# Stop words, which occur everywhere and would decide what is quoted. Letters that are symbols in
# formulas are not among them.
SMALL_WORDS = frozenset(
    _WORD.findall(
        "an and are as at be by can do does for from how if in into is it its of on or so that the"
        " then there this to was we what when where which why will with you"
    )
)
# A letter with an index, as formulas become in plain text; names in programs are longer.
_INDEX = re.compile(r"(?<![^\W_])(?<!_)([^\W\d_]|[∑])_([A-Za-z0-9]+)(?![\w])")
_POWER = re.compile(r"\^([0-9]+|[A-Za-z](?:_[A-Za-z0-9]+)?)(?![\w])")


def query_words(query: str) -> list[str]:
    """Return the query's words, each once; stop words only if there are no others."""
    asked = query[:MAX_QUERY_LENGTH].casefold()
    found = _WORD.findall(re.sub(r"square root|sqrt", "√", asked))
    telling = [word for word in found if word not in SMALL_WORDS]
    return list(dict.fromkeys(telling or found))[:MAX_WORDS]


def search(
    lessons: QuerySet[Lesson], query: str
) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Return the words of these lessons that the query means, and the places that contain it.

    A place, in a lesson or a page beside them, contains all words; the best places come first.
    """
    words = query_words(query)
    if not words:
        return [], []
    places = [*_references(words), *_lessons(lessons, words), *_sections(lessons, words)]
    ranked = [(rank, hit) for rank, hit in places if rank]
    ranked.sort(key=lambda each: -each[0])
    return _meanings(lessons, words), [hit for _score, hit in ranked]


def _references(words: Sequence[str]) -> Iterable[tuple[int, dict[str, Any]]]:
    for page in extensions.references():
        yield (
            _rank(words, page.text, page.about),
            {
                "title": mark_words(page.text, words),
                "url": page.url,
                "quote": quote(page.about, words),
                "kind": _("Reference"),
            },
        )


def _lessons(
    lessons: QuerySet[Lesson], words: Sequence[str]
) -> Iterable[tuple[int, dict[str, Any]]]:
    parts = ("title", "tagline", *Lesson.PARTS)
    for lesson in lessons.filter(_contains(words, parts)):
        texts = [lesson.tagline, *(plain_text(getattr(lesson, part)) for part in Lesson.PARTS)]
        text = " ".join(filter(None, texts))
        yield (
            _rank(words, lesson.title, text),
            {
                "title": mark_words(lesson.title, words),
                "url": lesson.get_absolute_url(),
                "quote": quote(text, words),
                "kind": _("Lesson"),
            },
        )


def _sections(
    lessons: QuerySet[Lesson], words: Sequence[str]
) -> Iterable[tuple[int, dict[str, Any]]]:
    found = Section.objects.filter(lesson__in=lessons).filter(_contains(words, ("title", "body")))
    for section in found.select_related("lesson").order_by("lesson__order", "order", "pk"):
        text = plain_text(section.body)
        yield (
            _rank(words, section.title, text),
            {
                "title": mark_words(section.title, words),
                "url": section.get_absolute_url(),
                "quote": quote(text, words),
                "kind": section.lesson.title,
            },
        )


def _meanings(lessons: QuerySet[Lesson], words: list[str]) -> list[dict[str, Any]]:
    """Return glossary entries whose term is exactly the query, each from the first such lesson."""
    meant: dict[str, Word] = {}
    glossary = Word.objects.filter(lesson__in=lessons).select_related("lesson")
    for word in glossary.order_by("lesson__order", "order"):
        forms = [word.term, *word.forms.split(",")]
        if any(query_words(form) == words for form in forms):
            meant.setdefault(word.term.casefold(), word)
    pictures = pictures_in(word.meaning for word in meant.values())
    return [
        {
            "term": word.term,
            "html": render_or_explain(word.meaning, pictures),
            "lesson": word.lesson,
        }
        for word in meant.values()
    ]


def _contains(words: Sequence[str], fields: Sequence[str]) -> Q:
    condition = Q()
    for word in words:
        # SQLite folds the case of ASCII only, and authors' quotes are not those that are shown.
        if word.isascii() and word not in _ALSO:
            condition &= Q(*((f"{field}__icontains", word) for field in fields), _connector=Q.OR)
    return condition


def _rank(words: Sequence[str], title: str, text: str) -> int:
    """Return how well a place fits, 0 if a word is missing. Titles count most."""
    rank = 0
    for word in words:
        of_word = _pattern((word,))
        in_title, in_text = bool(of_word.search(title)), len(of_word.findall(text))
        if not (in_title or in_text):
            return 0
        rank += 20 * in_title + min(in_text, 10)
    return rank


def quote(text: str, words: Sequence[str]) -> SafeString:
    """Return the piece of the text that contains most of the words, marked."""
    hits = [match.start() for match in _pattern(tuple(words)).finditer(text)]
    start = max(hits, key=lambda at: _words_within(text, at, words), default=0)
    start = max(0, start - QUOTED // 4)
    if start:
        start = text.find(" ", start) + 1
    end = start + QUOTED
    if end < len(text):
        end = max(text.rfind(" ", start, end), start + 1)
    before, after = "… " * (start > 0), " …" * (end < len(text))
    return mark_words(f"{before}{text[start:end]}{after}", words)


def _words_within(text: str, at: int, words: Sequence[str]) -> int:
    piece = text[at : at + QUOTED * 3 // 4].casefold()
    return sum(any(way in piece for way in _ways_of(word)) for word in words)


def _ways_of(word: str) -> tuple[str, ...]:
    """Return the spellings of a word in texts."""
    return (word, *_ALSO.get(word, ()))


def mark_words(text: str, words: Sequence[str]) -> SafeString:
    """Return the text as HTML, with the words marked."""
    pieces, end = [], 0
    for match in _pattern(tuple(words)).finditer(text):
        pieces.append((conditional_escape(text[end : match.start()]), match[0]))
        end = match.end()
    html = format_html_join("", "{}<mark>{}</mark>", pieces) + conditional_escape(text[end:])
    html = _POWER.sub(r"<sup>\1</sup>", html)
    return mark_safe(_INDEX.sub(r"\1<sub>\2</sub>", html))  # escaped above


def _pattern(words: tuple[str, ...]) -> re.Pattern[str]:
    longest_first = sorted((way for word in words for way in _ways_of(word)), key=len, reverse=True)
    # Only from the start of a word: a search for RMS does not mean terms.
    any_of = "|".join(map(re.escape, longest_first))
    return re.compile(rf"(?<![^\W_])(?:{any_of})", re.IGNORECASE)
