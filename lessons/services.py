"""The only writers of lessons besides the admin's forms: loading them from files."""

import hashlib
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

from django.core.exceptions import ValidationError
from django.db import models, transaction

from lessons.errors import AuthorError
from lessons.files import LessonFile, SectionFile, format_lesson, parse_lesson
from lessons.models import Lesson, Section, Word

FIELDS = (
    *("slug", "title", "tagline", "category", "level", "minutes", "order", "icon", "published"),
    *Lesson.PARTS,
)
WORD_FIELDS = ("term", "forms", "meaning")


class Outcome(StrEnum):
    """What loading did with a file."""

    CREATED = "created"
    UPDATED = "updated"
    UNCHANGED = "unchanged"
    KEPT = "kept"  # edited since it was loaded, so left alone


@dataclass(frozen=True)
class Loaded:
    """A file's lesson and what became of it."""

    lesson: Lesson
    outcome: Outcome


def load_lessons(*, folder: Path, overwrite: bool = False) -> list[Loaded]:
    """Load every lesson of a folder; loading again changes nothing.

    A lesson that was edited since it was loaded is kept as it is, unless `overwrite`.

    Raises:
        AuthorError: a file is wrong; it names the file and the line.
    """
    return [_load(file, overwrite=overwrite) for file in sorted(Path(folder).glob("*.md"))]


@transaction.atomic
def import_lesson(*, text: str) -> Lesson:
    """Make the lesson of this file, or make the lesson with its slug say what the file says.

    Sections that stay keep their rows, so whatever refers to them keeps its reference.

    Raises:
        AuthorError: the file is wrong; nothing is written.
    """
    source = _in_full(parse_lesson(text))
    lesson = Lesson.objects.filter(slug=source.fields["slug"]).first() or Lesson()
    for name, value in source.fields.items():
        setattr(lesson, name, value)
    _save(lesson)
    _keep(lesson, Word, "term", list(source.words))
    _keep(lesson, Section, "slug", [_section(section) for section in source.sections])
    lesson.source_hash = _hash(export_lesson(lesson=lesson))
    lesson.save(update_fields=["source_hash"])
    return lesson


def export_lesson(*, lesson: Lesson) -> str:
    """The lesson as a file; importing it gives the same lesson back, to the letter."""
    return format_lesson(
        LessonFile(
            fields={name: getattr(lesson, name) for name in FIELDS},
            words=tuple(
                {name: getattr(word, name) for name in WORD_FIELDS} for word in lesson.words.all()
            ),
            sections=tuple(
                SectionFile(section.slug, section.title, section.body)
                for section in lesson.sections.all()
            ),
        )
    )


def _load(file: Path, *, overwrite: bool) -> Loaded:
    text = file.read_text(encoding="utf-8")
    try:
        source = _in_full(parse_lesson(text))
        lesson = Lesson.objects.filter(slug=source.fields["slug"]).first()
        if lesson is None:
            return Loaded(import_lesson(text=text), Outcome.CREATED)
        current = export_lesson(lesson=lesson)
        if current == format_lesson(source):
            return Loaded(lesson, Outcome.UNCHANGED)
        if _hash(current) != lesson.source_hash and not overwrite:
            return Loaded(lesson, Outcome.KEPT)
        return Loaded(import_lesson(text=text), Outcome.UPDATED)
    except AuthorError as error:
        where = ", ".join(filter(None, (file.name, error.where)))
        raise AuthorError(error.message, line=error.line, where=where) from None


def _in_full(source: LessonFile) -> LessonFile:
    """The file with what it leaves out at its default, as an export would have it."""
    if unknown := sorted(set(source.fields) - set(FIELDS)):
        raise AuthorError(f"there is no field {unknown[0]}; there are: {', '.join(FIELDS)}")
    defaults = {name: Lesson._meta.get_field(name).get_default() for name in FIELDS}
    words = tuple(_word(word) for word in source.words)
    return LessonFile(defaults | source.fields, words, source.sections)


def _keep(lesson: Lesson, model: type[models.Model], key: str, wanted: list[dict]) -> None:
    """Let the lesson's rows of this model be the wanted ones, in their order, told by the key."""
    rows = model._default_manager.filter(lesson=lesson)
    rows.exclude(**{f"{key}__in": [fields[key] for fields in wanted]}).delete()
    present = {getattr(row, key): row for row in rows.all()}
    for order, fields in enumerate(wanted, 1):
        row = present.pop(fields[key], None) or model(lesson=lesson)
        for name, value in {**fields, "order": order}.items():
            setattr(row, name, value)
        _save(row)


def _word(word: dict[str, Any]) -> dict[str, Any]:
    if unknown := sorted(set(word) - set(WORD_FIELDS)):
        raise AuthorError(f"a word has no {unknown[0]}; it has: {', '.join(WORD_FIELDS)}")
    return {name: word.get(name, "") for name in WORD_FIELDS}


def _section(section: SectionFile) -> dict[str, Any]:
    return {"slug": section.slug, "title": section.title, "body": section.body}


def _save(row: models.Model) -> None:
    try:
        row.full_clean()
    except ValidationError as error:
        name, messages = next(iter(error.message_dict.items()))
        raise AuthorError(f"{name}: {messages[0]}", where=str(row) or type(row).__name__) from None
    row.save()


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
