"""A lesson as a plain file: what every lesson has in YAML, then its sections in Markdown.

    ---
    slug: attention-foundations
    title: Attention foundations
    today: |
      Markdown, as for every part of the page.
    words:
    - term: token
      forms: tokens
      meaning: A piece of text.
    ---

    ## The paper {#paper}

    Markdown, maths, widgets.

What `format_lesson` writes, `parse_lesson` reads back, and the other way round to the letter.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import yaml
from django.utils.text import slugify
from markdown_it import MarkdownIt

from lessons.errors import AuthorError
from lessons.parameters import read_yaml
from lessons.rendering import check_markdown

_FENCE = "---\n"
_HEADING = re.compile(r" {0,3}##\s+(?P<title>.*?)\s*(?:\{#(?P<slug>[-\w]+)\})?\s*")
_blocks = MarkdownIt("commonmark", {"html": False})


@dataclass(frozen=True)
class SectionFile:
    """A section as the file has it, and the line of the file on which its body begins."""

    slug: str
    title: str
    body: str
    line: int = 0


@dataclass(frozen=True)
class LessonFile:
    """A lesson as the file has it: its fields by name, its words, its sections."""

    fields: dict[str, Any]
    words: tuple[dict[str, str], ...]
    sections: tuple[SectionFile, ...]


def parse_lesson(text: str) -> LessonFile:
    """Read a lesson's file.

    Raises:
        AuthorError: the front matter is not YAML, or a section cannot be shown; with its line.
    """
    text = text.replace("\r\n", "\n")
    front, closed, body = text.removeprefix(_FENCE).partition("\n" + _FENCE)
    if not text.startswith(_FENCE) or not closed:
        raise AuthorError("a lesson begins with its fields between two lines of ---", line=1)
    try:
        fields = read_yaml(front)
    except AuthorError as error:
        raise error.moved(1) from None
    if not isinstance(fields, dict):
        raise AuthorError("between the --- are lines of the form name: value", line=2)
    fields = {name: _stripped(value) for name, value in fields.items()}
    words = fields.pop("words", None) or []
    if not all(isinstance(word, dict) for word in words):
        raise AuthorError("words is a list of term, forms and meaning", line=2)
    first_line = front.count("\n") + 4
    sections = tuple(_sections(body, first_line))
    for section in sections:
        try:
            check_markdown(section.body)
        except AuthorError as error:
            raise error.moved(section.line, f"section “{section.title}”") from None
    words = tuple({name: _stripped(value) for name, value in word.items()} for word in words)
    return LessonFile(fields, words, sections)


def format_lesson(lesson: LessonFile) -> str:
    """Write a lesson's file; fields that are empty are left out."""
    fields = {name: value for name, value in lesson.fields.items() if value not in ("", None)}
    if lesson.words:
        fields["words"] = [{k: v for k, v in word.items() if v} for word in lesson.words]
    front = yaml.dump(
        fields, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=float("inf")
    )
    return _FENCE + front + _FENCE + "".join(_formatted(section) for section in lesson.sections)


def _formatted(section: SectionFile) -> str:
    anchor = "" if section.slug == slugify(section.title) else f" {{#{section.slug}}}"
    body = f"\n{section.body}\n" if section.body else ""
    return f"\n## {section.title}{anchor}\n{body}"


def _sections(body: str, first_line: int) -> Iterator[SectionFile]:
    """Cut the body at its level-two headings; a ## inside a fenced block is none."""
    lines = body.split("\n")
    headings = [
        token.map[0]
        for token in _blocks.parse(body)
        if token.type == "heading_open" and token.markup == "##" and token.level == 0
    ]
    for number, line in enumerate(lines[: headings[0]] if headings else lines):
        if line.strip():
            told = "every text stands in a section: begin with ## and a title"
            raise AuthorError(told, line=first_line + number)
    for start, end in zip(headings, [*headings[1:], len(lines)], strict=True):
        heading = _HEADING.fullmatch(lines[start])
        title = heading["title"]
        text = "\n".join(lines[start + 1 : end])
        blank = len(text) - len(text.lstrip("\n"))
        yield SectionFile(
            slug=heading["slug"] or slugify(title),
            title=title,
            body=text.strip(),
            line=first_line + start + blank,
        )


def _stripped(value: Any) -> Any:
    return value.strip() if isinstance(value, str) else value


class _Dumper(yaml.SafeDumper):
    """YAML as people write it: texts of several lines stand as blocks."""


def _text(dumper: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
    block = "\n" in text
    return dumper.represent_scalar(
        "tag:yaml.org,2002:str", str(text) + "\n" * block, style="|" if block else None
    )


_Dumper.add_representer(str, _text)
_Dumper.add_multi_representer(str, _text)  # choices are strings by descent
