"""Services that write lessons and images; only the admin's forms of lessons write them too."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from hashlib import sha256
from itertools import count
from pathlib import Path, PurePosixPath
from typing import Any

from django.core.exceptions import ValidationError
from django.core.files.base import ContentFile
from django.db import models, transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from foundation.loading import Loaded, fingerprint, outcome_of
from lessons.authoring.files import LessonFile, SectionFile, format_lesson, parse_lesson
from lessons.authoring.images import inspect_image, strip_metadata
from lessons.authoring.moments import group_history
from lessons.errors import ContentError, errors_located_at
from lessons.fields import MarkdownError
from lessons.models import Lesson, LessonImage, Section, Word
from lessons.pages.queries import images_of, may_change_image
from sharing.services import add_owner

FIELDS = (
    *("slug", "title", "tagline", "category", "level", "minutes", "order", "icon", "published"),
    *Lesson.PARTS,
)
WORD_FIELDS = ("term", "forms", "meaning")


@dataclass(frozen=True)
class _WantedRow:
    """The values for a row, and for each of its texts a name and the file's line above it."""

    values: dict[str, Any]
    places: dict[str, tuple[int, str]]


def load_lessons(*, folder: Path, overwrite: bool = False) -> list[Loaded]:
    """Load every lesson of a folder. Loading again changes nothing.

    A lesson that was edited since it was loaded is kept as it is, unless `overwrite`.

    Raises:
        ContentError: a file is wrong; it names the file and the line.
    """
    return [_load(file, overwrite=overwrite) for file in sorted(Path(folder).glob("*.md"))]


@transaction.atomic
def import_lesson(*, text: str, user: Any = None, reason: str = "") -> Lesson:
    """Create the lesson of this file, or update the lesson with its slug.

    Sections that stay keep their rows, so references to them stay valid.

    Raises:
        ContentError: the file is wrong; nothing is written.
    """
    return import_source(source=parse_lesson(text), user=user, reason=reason)


@transaction.atomic
def import_source(*, source: LessonFile, user: Any = None, reason: str = "") -> Lesson:
    """Import a parsed file, as `import_lesson` does with its text."""
    lesson = write_lesson(source=source, user=user, reason=reason)
    Lesson.objects.filter(pk=lesson.pk).update(
        source_hash=fingerprint(export_lesson(lesson=lesson)), updated=timezone.now()
    )
    lesson.refresh_from_db(fields=["source_hash", "updated"])
    return lesson


@transaction.atomic
def write_lesson(
    *, source: LessonFile, lesson: Lesson | None = None, user: Any = None, reason: str = ""
) -> Lesson:
    """Write the source's content into this lesson, or into the one with the source's slug.

    Only rows that differ are written, as one entry of the lesson's history.

    Raises:
        ContentError: the content is not valid; nothing is written.
    """
    source = _with_defaults(source)
    lesson = lesson or Lesson.objects.filter(slug=source.fields["slug"]).first() or Lesson()
    with group_history(user=user, reason=reason):
        _update(lesson, _of_lesson(source))
        _synchronise(lesson, Word, "term", _of_words(source))
        _synchronise(lesson, Section, "slug", _of_sections(source))
    return lesson


def export_lesson(*, lesson: Lesson) -> str:
    """Return the lesson as a file; importing it gives exactly the same lesson."""
    return format_lesson(
        LessonFile(
            fields={name: getattr(lesson, name) for name in FIELDS},
            words=tuple(
                {name: getattr(word, name) for name in WORD_FIELDS} for word in lesson.words.all()
            ),
            sections=tuple(
                SectionFile(
                    section.slug, section.title, section.body, families=tuple(section.family_keys)
                )
                for section in lesson.sections.all()
            ),
            images=tuple(
                {"name": image.name, "alt": image.alt} for image in images_of(lesson.texts())
            ),
        )
    )


@transaction.atomic
def duplicate_lesson(*, lesson: Lesson, user: Any = None) -> Lesson:
    """Return a copy of the lesson as a draft that belongs to `user`."""
    source = parse_lesson(export_lesson(lesson=lesson))
    room = Lesson._meta.get_field("slug").max_length - 9
    slug = next(
        slug
        for number in count(1)
        if not Lesson.objects.filter(slug=(slug := f"{lesson.slug[:room]}-copy{number}")).exists()
    )
    title = _("Copy of %s") % lesson.title
    changes = {"slug": slug, "title": title[:120], "published": False}
    copy = write_lesson(
        source=replace(source, fields=source.fields | changes),
        user=user,
        reason=_("Copied from %s") % lesson.slug,
    )
    if user is not None:
        add_owner(row=copy, user=user)
    return copy


def restored_source(lesson: Lesson, source: LessonFile) -> LessonFile:
    """Return the content after restoring this version: the lesson stays published or not."""
    return replace(source, fields=source.fields | {"published": lesson.published})


def restore_lesson(*, lesson: Lesson, source: LessonFile, user: Any, reason: str) -> Lesson:
    """Restore an earlier version of the lesson, as `restored_source` describes it.

    Raises:
        ContentError: the version is no longer valid; nothing is written.
    """
    return write_lesson(
        source=restored_source(lesson, source), lesson=lesson, user=user, reason=reason
    )


def publish_lesson(*, lesson: Lesson, user: Any = None) -> None:
    """Publish the lesson."""
    _set_published(lesson, True, user)


def withdraw_lesson(*, lesson: Lesson, user: Any = None) -> None:
    """Return the lesson to draft."""
    _set_published(lesson, False, user)


def _set_published(lesson: Lesson, published: bool, user: Any) -> None:
    lesson.published = published
    with group_history(user=user):
        lesson.save()


def mark_as_updated(*, lesson: Lesson) -> None:
    """Set the lesson's time of update without a history record: only sections or words changed."""
    lesson.save_without_historical_record()


def _load(file: Path, *, overwrite: bool) -> Loaded:
    text = file.read_text(encoding="utf-8")
    with errors_located_at(file.name):
        source = _with_defaults(parse_lesson(text))
        slug = source.fields["slug"]
        lesson = Lesson.objects.filter(slug=slug).first()
        outcome = outcome_of(
            wanted=format_lesson(source),
            stored=export_lesson(lesson=lesson) if lesson else None,
            source_hash=lesson.source_hash if lesson else "",
            overwrite=overwrite,
        )
        if outcome.writes:
            _load_images(file, source, overwrite=overwrite)
            import_source(source=source)
    return Loaded(slug, outcome)


def _load_images(file: Path, source: LessonFile, *, overwrite: bool) -> None:
    """Import the lesson's images from the folder images/ beside its file."""
    if source.images:
        found = {each.name: each.read_bytes() for each in (file.parent / "images").glob("*.*")}
        import_images(images=source.images, files=found, replace=overwrite)


def _with_defaults(source: LessonFile) -> LessonFile:
    """Return the file with defaults for what it leaves out, as an export would have it."""
    if unknown := sorted(set(source.fields) - set(FIELDS)):
        message = _("there’s no field %(name)s; the fields are: %(names)s")
        raise ContentError(message % {"name": unknown[0], "names": ", ".join(FIELDS)})
    defaults = {name: Lesson._meta.get_field(name).get_default() for name in FIELDS}
    words = tuple(_word(word) for word in source.words)
    return replace(source, fields=defaults | source.fields, words=words)


def _synchronise(
    lesson: Lesson, model: type[models.Model], key: str, wanted: list[_WantedRow]
) -> None:
    """Make the lesson's rows of this model match the wanted ones, in order, identified by `key`."""
    rows = model._default_manager.filter(lesson=lesson)
    rows.exclude(**{f"{key}__in": [each.values[key] for each in wanted]}).delete()
    present = {getattr(row, key): row for row in rows.all()}
    for order, each in enumerate(wanted, 1):
        row = present.pop(each.values[key], None) or model(lesson=lesson)
        _update(row, replace(each, values=each.values | {"order": order}))


def _word(word: dict[str, Any]) -> dict[str, Any]:
    if unknown := sorted(set(word) - set(WORD_FIELDS)):
        words = _("a word has no field %(name)s; its fields are: %(names)s")
        raise ContentError(words % {"name": unknown[0], "names": ", ".join(WORD_FIELDS)})
    return {name: word.get(name, "") for name in WORD_FIELDS}


def _of_lesson(source: LessonFile) -> _WantedRow:
    places = {part: (source.lines.get(part, 0), f"“{part}”") for part in Lesson.PARTS}
    return _WantedRow(source.fields, places)


def _of_words(source: LessonFile) -> list[_WantedRow]:
    lines = [source.lines.get(f"words.{number}.meaning", 0) for number in range(len(source.words))]
    return [
        _WantedRow(word, {"meaning": (line, f"“{word['term']}”")})
        for word, line in zip(source.words, lines, strict=True)
    ]


def _of_sections(source: LessonFile) -> list[_WantedRow]:
    return [
        _WantedRow(
            {
                "slug": section.slug,
                "title": section.title,
                "body": section.body,
                "families": ", ".join(section.families),
            },
            {"body": (section.line, _("section “%(section)s”") % {"section": section.title})},
        )
        for section in source.sections
    ]


def _update(row: models.Model, wanted: _WantedRow) -> None:
    """Write the wanted values to a row, unless it has them already."""
    if row.pk and all(getattr(row, name) == value for name, value in wanted.values.items()):
        return
    for name, value in wanted.values.items():
        setattr(row, name, value)
    try:
        row.full_clean()
    except ValidationError as error:
        name, (first, *_others) = next(iter(error.error_dict.items()))
        if isinstance(first, MarkdownError):
            raise first.wrong.moved(*wanted.places[name]) from None
        message = f"{name}: {first.messages[0]}"
        raise ContentError(message, where=str(row) or type(row).__name__) from None
    row.save()


# Images -------------------------------------------------------------------------------------


@transaction.atomic
def save_image(
    *, name: str, alt: str, content: bytes | None = None, image: LessonImage | None = None
) -> LessonImage:
    """Create an image, or change its name, text or content.

    Raises:
        ContentError: a lesson cannot show the content.
        ValidationError: the name or the text is not valid.
    """
    image = image or LessonImage()
    image.name, image.alt = name, alt
    before = image.file.name if image.pk else ""
    if content is not None:
        inspect_image(content)
        content = strip_metadata(content)
        for key, value in vars(inspect_image(content)).items():
            setattr(image, key, value)
        image.file = ContentFile(content, name=name)
    image.full_clean()
    image.save()
    if before and before != image.file.name:
        _remove_later(image, before)
    return image


@transaction.atomic
def remove_image(*, image: LessonImage) -> None:
    """Delete an image and its file."""
    file = image.file.name
    image.delete()
    _remove_later(image, file)


def _remove_later(image: LessonImage, file: str) -> None:
    """Delete a file after the commit, when certainly nothing refers to it any more."""
    transaction.on_commit(lambda: image.file.storage.delete(file), robust=True)


@transaction.atomic
def import_images(
    *,
    images: Iterable[Mapping[str, str]],
    files: Mapping[str, bytes],
    replace: bool,
    user: Any = None,
) -> None:
    """Save the images that a lesson's file lists, from the files that came with it.

    Raises:
        ContentError: a file is missing or no image, or another image would have to be replaced.
    """
    for each in images:
        name = each["name"]
        stored = LessonImage.objects.filter(name=name).first()
        found = [files[path] for path in files if PurePosixPath(path).stem == name]
        if not found:
            if stored is None:
                raise ContentError(_("the file of the image “%s” is missing") % name)
            continue
        try:
            inspect_image(found[0])
            brought = strip_metadata(found[0])
            same = stored and stored.digest == sha256(brought).hexdigest()
            if stored and not replace and not (same and stored.alt == each["alt"]):
                words = _("there’s already a different image “%s”; choose to replace it")
                raise ContentError(words % name)
            if not same or stored.alt != each["alt"]:
                if stored and user is not None and not may_change_image(user, stored):
                    words = _(
                        "the image “%s” is in lessons that you can’t edit; give yours another name"
                    )
                    raise ContentError(words % name)
                content = None if same else brought
                save_image(name=name, alt=each["alt"], content=content, image=stored)
        except ValidationError as error:
            where = _("image “%s”") % name
            raise ContentError(" ".join(error.messages), where=where) from None
