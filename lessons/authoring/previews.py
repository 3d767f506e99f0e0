"""Previews of texts that are still being written."""

from collections.abc import Sequence
from dataclasses import dataclass

from design.fragments import render_fragment
from lessons.authoring.references import KnownReferences, check_references
from lessons.models import Word
from lessons.pages.page import explain, html_id, marked_words, render_or_explain
from lessons.pages.queries import pictures_in
from lessons.rendering import check_markup, find_errors, render_markdown


@dataclass(frozen=True)
class Preview:
    """A text as its page will show it, without blocks that are wrong, and what is wrong.

    Attributes:
        error: a line for each error.
        line: where the first one is.
    """

    html: str = ""
    error: str = ""
    line: int | None = None


def preview(
    text: str, *, known: KnownReferences, words: Sequence[Word] = (), automatic: bool = False
) -> Preview:
    """Return the preview of a text."""
    pictures = pictures_in([text, *(word.meaning for word in words)])
    marked = marked_words(words)

    def render(each: str) -> str:
        return render_markdown(each, words=marked, automatic=automatic, pictures=pictures)

    def check(each: str) -> None:
        check_markup(each)
        check_references(each, known)

    errors, shown = find_errors(text, render)
    html = render(shown)
    meanings = [
        explain(word, render_or_explain(word.meaning, pictures))
        for word in words
        if f'popovertarget="{html_id(word)}"' in html
    ]
    html += render_fragment("lessons/_meanings.html", words=meanings)
    errors += find_errors(shown, check)[0]
    errors.sort(key=lambda error: error.line or 0)
    line = errors[0].line if errors else None
    return Preview(html, "\n".join(map(str, errors)), line)
