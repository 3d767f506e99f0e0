"""The file format of lessons: fields in YAML, then sections in Markdown.

    ---
    slug: attention-foundations
    title: Attention foundations
    today: |
      Markdown, as for every part of the page.
    words:
    - term: token
      forms: tokens
      meaning: A piece of text.
    families:
      cosine: paper
    ---

    ## The paper {#paper}

    Markdown, maths, widgets.

`images` describes the uploaded images that the texts refer to; their files lie beside it.
`families` names the section that teaches each family of problems.

`parse_lesson` and `format_lesson` are exact inverses.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from datetime import date
from itertools import pairwise
from math import isfinite
from typing import Any

import yaml
from django.utils.text import slugify
from django.utils.translation import gettext as _
from markdown_it import MarkdownIt

from lessons.errors import ContentError
from lessons.markdown.parameters import place, read_yaml, text_lines

_FENCE = "---\n"
_HEADING = re.compile(r" {0,3}##\s+(?P<title>.*?)\s*(?:\{#(?P<slug>[-\w]+)\})?\s*")
# Only the beginnings of sections are needed here, so inline text is not parsed.
_blocks = MarkdownIt("commonmark", {"html": False}).disable("inline")


@dataclass(frozen=True)
class SectionFile:
    """A section in a file, with the line of the file on which its body begins."""

    slug: str
    title: str
    body: str
    line: int = 0
    families: tuple[str, ...] = ()


@dataclass(frozen=True)
class LessonFile:
    """A lesson in a file: its fields by name, its words and its sections.

    `images` are the uploaded images it shows, by name and alt. `lines` has the file's line on which
    each text begins, by field, or words.0.meaning.
    """

    fields: dict[str, Any]
    words: tuple[dict[str, str], ...]
    sections: tuple[SectionFile, ...]
    images: tuple[dict[str, str], ...] = ()
    lines: dict[str, int] = field(default_factory=dict, compare=False)


def parse_lesson(text: str) -> LessonFile:
    """Read a lesson's file. Its texts are only checked when they are written.

    Raises:
        ContentError: the front matter is not YAML, or the rest has no sections; with its line.
    """
    text = text.replace("\r\n", "\n")
    before, nul, _after = text.partition("\0")
    if nul:  # which no database takes
        raise ContentError(
            _("this isn’t a text file, or it’s damaged"), line=before.count("\n") + 1
        )
    front, closed, body = text.removeprefix(_FENCE).partition("\n" + _FENCE)
    if not text.startswith(_FENCE) or not closed:
        raise ContentError(
            _("a lesson must begin with its fields between two lines of ---"), line=1
        )
    try:
        fields = read_yaml(front)
    except ContentError as error:
        raise error.moved(1) from None
    if not isinstance(fields, dict) or not all(isinstance(name, str) for name in fields):
        raise ContentError(_("lines between the --- must have the form name: value"), line=2)
    words = _words(fields.pop("words", None) or [])
    images = _images(fields.pop("images", None) or [])
    families = _families(fields.pop("families", None) or {})
    try:
        fields = _values(fields)
    except ContentError as error:
        raise ContentError(error.message, **place(front, error.where)).moved(1) from None
    first_line = front.count("\n") + 4
    sections = tuple(
        replace(section, families=tuple(families.pop(section.slug, ())))
        for section in _sections(body, first_line)
    )
    if families:
        message = _("families: there’s no section %(section)s")
        raise ContentError(message % {"section": next(iter(families))}, line=2)
    return LessonFile(fields, words, sections, images, text_lines(front))


def format_lesson(lesson: LessonFile) -> str:
    """Return a lesson's file, without empty fields."""
    fields = {name: value for name, value in lesson.fields.items() if value not in ("", None)}
    if lesson.words:
        fields["words"] = [{k: v for k, v in word.items() if v} for word in lesson.words]
    homes = {family: section.slug for section in lesson.sections for family in section.families}
    if homes:
        fields["families"] = homes
    if lesson.images:
        fields["images"] = list(lesson.images)
    front = yaml.dump(
        fields, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=float("inf")
    )
    return _FENCE + front + _FENCE + "".join(_formatted(section) for section in lesson.sections)


def _values(fields: dict[str, Any]) -> dict[str, Any]:
    """Return the fields that have a value, each a text, a number or a flag."""
    for name, value in fields.items():
        is_number = isinstance(value, float) and isfinite(value)
        if not isinstance(value, str | int | date | None) and not is_number:
            message = _(
                "%(name)s must be text, a number, true or false; to write a "
                "Markdown list as text, begin it with |"
            )
            raise ContentError(message % {"name": name}, where=name)
    return {name: _stripped(value) for name, value in fields.items() if value is not None}


def _words(words: Any) -> tuple[dict[str, Any], ...]:
    message = _("words must be a list of term, forms and meaning, each of them text")
    if not isinstance(words, list) or not all(isinstance(word, dict) for word in words):
        raise ContentError(message, line=2)
    try:
        return tuple(_values({str(name): value for name, value in word.items()}) for word in words)
    except ContentError:
        raise ContentError(message, line=2) from None


def _families(homes: Any) -> dict[str, list[str]]:
    """Return each section's families, from the section of each family."""
    if not isinstance(homes, dict) or not all(isinstance(home, str) for home in homes.values()):
        raise ContentError(_("families must have lines of the form family: section"), line=2)
    of_section: dict[str, list[str]] = {}
    for family, section in homes.items():
        of_section.setdefault(section, []).append(str(family))
    return of_section


def _images(images: Any) -> tuple[dict[str, str], ...]:
    if not isinstance(images, list) or not all(
        isinstance(image, dict) and set(image) == {"name", "alt"} for image in images
    ):
        raise ContentError(_("images must be a list of name and alt"), line=2)
    return tuple({name: str(value).strip() for name, value in each.items()} for each in images)


def _formatted(section: SectionFile) -> str:
    anchor = "" if section.slug == slugify(section.title) else f" {{#{section.slug}}}"
    body = f"\n{section.body}\n" if section.body else ""
    return f"\n## {section.title}{anchor}\n{body}"


def _sections(body: str, first_line: int) -> Iterator[SectionFile]:
    """Yield the sections. Level-two headings begin them, but not a ## inside a fenced block."""
    lines = body.split("\n")
    headings = [
        token.map[0]
        for token in _blocks.parse(body)
        if token.type == "heading_open" and token.markup == "##" and token.level == 0
    ]
    for number, line in enumerate(lines[: headings[0]] if headings else lines):
        if line.strip():
            message = _("all text must be in a section: begin with ## and a title")
            raise ContentError(message, line=first_line + number)
    for start, end in pairwise([*headings, len(lines)]):
        heading = _HEADING.fullmatch(lines[start])
        if heading is None:
            raise ContentError(_("a section needs a title after its ##"), line=first_line + start)
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
    """YAML in a readable style: multi-line texts as blocks."""


def _text(dumper: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
    block = "\n" in text
    return dumper.represent_scalar(
        "tag:yaml.org,2002:str", str(text) + "\n" * block, style="|" if block else None
    )


_Dumper.add_representer(str, _text)
_Dumper.add_multi_representer(str, _text)  # choices are subclasses of str
