"""A lesson as a Jupyter notebook: its text, and its Python in cells that run.

Python is any block fenced as `python`; a block of `text` right below it is its output, and becomes
the cell's. Figures stay on the page, to which the notebook links.
"""

import json
import re
from collections.abc import Iterator
from functools import partial
from hashlib import sha256
from html import escape
from typing import Any

from django.utils.translation import gettext as _

from lessons import widgets
from lessons.markdown.editing import Edit, edit_line, edit_running_text
from lessons.markdown.glossary import EXPLICIT
from lessons.markdown.parsing import fences_in, pieces_of
from lessons.models import Lesson

CONTENT_TYPE = "application/x-ipynb+json"
_LESSON = re.compile(r"\]\(lesson:(?P<slug>[\w-]+)(?P<section>#[\w-]+)?\)")
_IMAGE = re.compile(r"!\[(?P<words>[^\]]*)\]\(image:[^)]*\)")
_CONTAINER = re.compile(r"^:::(?: (?P<kind>\w+) (?P<title>.*))?$")
_CHOICE = re.compile(r"^- \[[ x]\] +(?P<words>.*)$")
_ESCAPED_OR_DOLLAR = re.compile(r"\\.|\$", re.DOTALL)


def has_code(body: str) -> bool:
    """Return whether a section's text contains Python."""
    return any(name == "python" for name, _text in fences_in(body))


def notebook_of(lesson: Lesson, url: str) -> str:
    """Return the lesson as JSON of nbformat 4.5; `url` is the absolute URL of its page."""
    title, tagline = _plain(lesson.title), _plain(lesson.tagline)
    cells = [_markdown(f"# {title}\n\n{tagline}\n\n[{_('The lesson')}]({url})")]
    for section in lesson.sections.all():
        cells.append(_markdown(f"## {_plain(section.title)}"))
        cells += _cells(section.body, url, f"{url}#{section.slug}")
    for number, cell in enumerate(cells):
        source = "".join(cell["source"])
        cell["id"] = sha256(f"{number} {source}".encode()).hexdigest()[:8]
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    return json.dumps(
        {
            "cells": cells,
            "metadata": {"kernelspec": kernel, "language_info": {"name": "python"}},
            "nbformat": 4,
            "nbformat_minor": 5,
        },
        ensure_ascii=False,
        indent=1,
    )


def _cells(body: str, url: str, here: str) -> Iterator[dict[str, Any]]:
    before: dict[str, Any] | None = None
    for name, text in pieces_of(body):
        if name == "python":
            yield (before := _code(text))
            continue
        if name is None and not text.strip():
            continue
        if name == "text" and before:
            before["outputs"] = [{"output_type": "stream", "name": "stdout", "text": _lines(text)}]
        elif name in widgets.names():
            yield _markdown(f"*[{_('Figure on the lesson’s page')}]({here})*")
        elif name is None and (prose := _prose(text, url)):
            yield _markdown(prose)
        elif name is not None:
            yield _markdown(_fenced(name, text))
        before = None


def _fenced(name: str, text: str) -> str:
    """Return a fenced block of code, with more backticks than the code itself contains in a row."""
    longest = max(map(len, re.findall("`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}{name}\n{text}{fence}"


def _plain(text: str) -> str:
    """Return plain text escaped for Markdown."""
    return re.sub(r"([\\`*_\[\]<>$&~])", r"\\\1", text)


def _prose(text: str, url: str) -> str:
    """Return Markdown for Jupyter: no ::: blocks, no glossary words, links with a host."""
    edit = partial(_as_jupyter_reads, lessons=url.rsplit("/", 2)[0])
    lines = edit_running_text(text, edit).split("\n")
    return "\n".join(_without_containers(lines, edit)).strip()


def _as_jupyter_reads(text: str, *, lessons: str) -> str:
    """Return running text with dollars outside of formulas escaped: two would make a formula."""
    text = re.sub(EXPLICIT, r"\g<explicit>", _IMAGE.sub(r"*\g<words>*", text))
    text = _LESSON.sub(lambda m: f"]({lessons}/{m['slug']}/{m['section'] or ''})", text)
    return _ESCAPED_OR_DOLLAR.sub(lambda m: r"\$" if m[0] == "$" else m[0], text)


def _without_containers(lines: list[str], edit: Edit) -> Iterator[str]:
    """Yield a ::: block's content below its title in bold; a choice unfolds, and what follows."""
    kind, is_open = "", False
    for line in lines:
        if found := _CONTAINER.match(line):
            if is_open:
                yield "\n</details>"
            kind, is_open = found["kind"] or "", False
            yield f"**{edit_line(found['title'], edit)}**" if kind else ""
        elif kind == "choose" and (choice := _CHOICE.match(line)):
            if is_open:
                yield "\n</details>"
            is_open = True
            yield f"<details><summary>{_summary(choice['words'])}</summary>\n"
        elif kind == "choose" and is_open and line and not line[0].isspace():
            yield f"\n</details>\n<details><summary>{_('Show me')}</summary>\n\n{line}"
            kind = "answer"
        else:
            yield line
    if is_open:
        yield "\n</details>"


def _summary(words: str) -> str:
    """Return a choice in HTML, within which Jupyter renders formulas but no Markdown."""
    return edit_line(
        words,
        lambda text: text.replace("*", "").replace("<", "&lt;"),
        show_code=lambda code: f"<code>{escape(code, quote=False)}</code>",
    )


def _markdown(source: str) -> dict[str, Any]:
    return {"cell_type": "markdown", "metadata": {}, "source": _lines(source)}


def _code(source: str) -> dict[str, Any]:
    return {
        "cell_type": "code",
        "execution_count": None,
        "metadata": {},
        "outputs": [],
        "source": _lines(source.rstrip("\n")),
    }


def _lines(text: str) -> list[str]:
    return text.splitlines(keepends=True)
