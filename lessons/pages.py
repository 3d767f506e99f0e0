"""What the page of a lesson shows, rendered and in order."""

from collections.abc import Iterable
from dataclasses import dataclass

from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.text import slugify

from lessons.errors import AuthorError
from lessons.models import Lesson, Word
from lessons.rendering import MarkedWord, render_markdown

# The parts that prepare the reader, with the words the page has for them.
BEFORE = {
    "today": "What we are learning",
    "fits": "How this lesson fits",
    "big_question": "The big question",
    "outcomes": "You will be able to",
    "why_care": "Why care",
    "uses": "Where it is used",
    "analogy": "Think of it like this",
    "easy_mistake": "An easy mistake",
    "able_to_say": "By the end you should be able to say",
    "think_first": "Think about this first",
}


@dataclass(frozen=True)
class Part:
    """A piece of the page: its heading, its anchor, its text."""

    key: str
    title: str
    html: SafeString


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
    sections: list[Part]
    comparison: SafeString | str
    big_story: SafeString | str
    elsewhere: SafeString | str


def lesson_page(lesson: Lesson) -> LessonPage:
    """Render a lesson for its page."""
    words = list(lesson.words.all())
    marked = tuple(_marked(word) for word in words)
    return LessonPage(
        lesson=lesson,
        before=[
            Part(key, title, _shown(getattr(lesson, key)))
            for key, title in BEFORE.items()
            if getattr(lesson, key)
        ],
        words=[Meaning(word.term, _html_id(word), _shown(word.meaning)) for word in words],
        sections=[
            Part(section.slug, section.title, _shown(section.body, marked))
            for section in lesson.sections.all()
        ],
        comparison=_shown(lesson.comparison),
        big_story=_shown(lesson.big_story),
        elsewhere=_shown(lesson.elsewhere),
    )


def _shown(text: str, words: Iterable[MarkedWord] = ()) -> SafeString:
    """The text rendered. One that slipped in unchecked must not take the whole page with it."""
    try:
        return render_markdown(text, words=words)
    except AuthorError as error:
        return format_html('<p class="broken">This part cannot be shown. {}</p>', error)


def _marked(word: Word) -> MarkedWord:
    others = (form.strip() for form in word.forms.split(","))
    return MarkedWord((word.term, *filter(None, others)), _html_id(word))


def _html_id(word: Word) -> str:
    return f"meaning-{slugify(word.term) or word.pk}"
