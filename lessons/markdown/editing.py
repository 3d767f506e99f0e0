"""Editing of a Markdown's running text; its code and formulas stay as they are."""

import re
from collections.abc import Callable

from markdown_it.token import Token

from lessons.markdown.parsing import parse_inline, parse_tokens

type Edit = Callable[[str], str]

# Stands for code or a formula while its text is edited. Unicode reserves it for internal use.
PLACEHOLDER = "\ufdd0"


def edit_running_text(text: str, edit: Edit) -> str:
    """Return the text with the running text of each of its blocks edited.

    `edit` gets it with `KEPT` in the place of each piece of code, formula and bare URL. It must
    keep these, and the number of lines.
    """
    if PLACEHOLDER in text:
        return text
    lines, edited_to = text.split("\n"), dict[int, int]()
    for token in parse_tokens(text):
        if token.type == "inline" and token.map and token.content:
            _put(lines, edited_to, token, _edited(token, edit))
    return "\n".join(lines)


def edit_line(text: str, edit: Edit, *, show_code: Edit | None = None) -> str:
    """Return one line of running text, edited likewise; `show_code` converts its code."""
    if PLACEHOLDER in text:
        return text
    return "".join(_edited(token, edit, show_code) for token in parse_inline(text))


def _edited(token: Token, edit: Edit, show_code: Edit | None = None) -> str:
    pieces, kept, last = [], [], 0
    for child in token.children or []:
        if "span" not in child.meta:
            continue
        start, end = child.meta["span"]
        pieces.append(token.content[last:start])
        is_shown = show_code and child.type == "code_inline"
        kept.append(show_code(child.content) if is_shown else token.content[start:end])
        last = end
    pieces.append(token.content[last:])
    again = iter(kept)
    return re.sub(PLACEHOLDER, lambda _place: next(again), edit(PLACEHOLDER.join(pieces)))


def _put(lines: list[str], edited_to: dict[int, int], token: Token, edited: str) -> None:
    """Put edited text back line by line, after earlier edits of the line, as in a table's cells."""
    before, after = token.content.split("\n"), edited.split("\n")
    for number, old, new in zip(range(*token.map), before, after, strict=False):
        behind = edited_to.get(number, 0)
        # In a cell of a table a bar is escaped, in code too.
        for old_text, new_text in ((old, new), (old.replace("|", r"\|"), new.replace("|", r"\|"))):
            start = lines[number].find(old_text, behind)
            if start >= 0:
                end = start + len(old_text)
                lines[number] = lines[number][:start] + new_text + lines[number][end:]
                edited_to[number] = start + len(new_text)
                break
