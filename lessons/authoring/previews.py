"""Previews of texts that are still being written."""

from collections.abc import Sequence
from dataclasses import dataclass

from design.fragments import render_fragment
from lessons.authoring.references import KnownReferences, check_references
from lessons.errors import ContentError
from lessons.models import Word
from lessons.pages.page import explain, html_id, marked_words, render_or_explain
from lessons.pages.queries import pictures_in
from lessons.rendering import check_markup, render_markdown


@dataclass(frozen=True)
class Preview:
    """A text as its page will show it, with an error if there is one."""

    html: str = ""
    error: str = ""
    line: int | None = None


def preview(
    text: str, *, known: KnownReferences, words: Sequence[Word] = (), automatic: bool = False
) -> Preview:
    """Return the preview of a text."""
    pictures = pictures_in([text, *(word.meaning for word in words)])
    try:
        html = render_markdown(
            text, words=marked_words(words), automatic=automatic, pictures=pictures
        )
    except ContentError as error:
        return Preview(error=str(error), line=error.line)
    meanings = [
        explain(word, render_or_explain(word.meaning, pictures))
        for word in words
        if f'popovertarget="{html_id(word)}"' in html
    ]
    html += render_fragment("lessons/_meanings.html", words=meanings)
    try:
        check_markup(text)
        check_references(text, known)
    except ContentError as error:
        return Preview(html, str(error), error.line)
    return Preview(html)
