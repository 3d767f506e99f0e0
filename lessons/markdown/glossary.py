"""Glossary words, found and marked in a lesson's texts."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from markdown_it.token import Token

# A letter first: [[1, 2]] is a matrix.
EXPLICIT = r"\[\[(?P<explicit>[^\W\d_][^\[\]\n]*)\]\]"


@dataclass(frozen=True)
class MarkedWord:
    """A glossary word: the forms that are marked in texts, and its explanation's id."""

    forms: tuple[str, ...]
    html_id: str


def explicit_words(text: str) -> list[str]:
    """Return the words between [[ and ]] in a piece of running text."""
    return [match["explicit"] for match in re.finditer(EXPLICIT, text)]


class Marker:
    """A marker of words in a sequence of texts.

    It marks all [[explicit]] words and, if `automatic`, the first occurrence of each of the others.
    """

    def __init__(self, words: Sequence[MarkedWord], *, automatic: bool = True):
        self._words = {form.lower(): word for word in words for form in word.forms}
        self._waiting = dict(self._words) if automatic else {}
        longest_first = sorted(self._waiting, key=len, reverse=True)
        forms = "|".join(re.escape(form) for form in longest_first)
        bare = rf"|(?<!\w)(?:{forms})(?!\w)" if forms else ""
        self._pattern = re.compile(EXPLICIT + bare, re.IGNORECASE)

    def marked(self, children: Sequence[Token], *, plain: bool = False) -> list[Token]:
        """Return the tokens with their words marked; not in a `plain` text, nor inside links."""
        result, links = [], 0
        for child in children:
            links += (child.type == "link_open") - (child.type == "link_close")
            if child.type == "text":
                result += self._split(child, plain=plain or links > 0)
            else:
                result.append(child)
        return result

    def _split(self, text: Token, *, plain: bool) -> list[Token]:
        pieces, end = [], 0
        for match in self._pattern.finditer(text.content):
            shown = match["explicit"] or match[0]
            known = self._words if match["explicit"] else self._waiting
            word = None if plain else known.get(shown.lower())
            if word is None and not match["explicit"]:
                continue
            self._waiting = {form: w for form, w in self._waiting.items() if w is not word}
            pieces.append(_text(text.content[end : match.start()]))
            pieces.append(_word(shown, word) if word else _text(shown))
            end = match.end()
        return [*pieces, _text(text.content[end:])]


def _text(content: str) -> Token:
    return Token("text", "", 0, content=content)


def _word(content: str, word: MarkedWord) -> Token:
    return Token("word", "", 0, content=content, meta={"html_id": word.html_id})
