"""Export and import of lessons: one as a Markdown file, several or those with images as a zip.

A zip holds files as files.py describes them, and their images in its folder images/.
"""

import stat
import struct
import zipfile
import zlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from io import BytesIO
from pathlib import PurePosixPath
from typing import Any

from django.db import transaction
from django.utils.translation import gettext as _

from lessons.authoring.files import LessonFile, parse_lesson
from lessons.authoring.references import KnownReferences, check_family, check_references
from lessons.authoring.services import export_lesson, import_images, import_source
from lessons.errors import ContentError, errors_located_at
from lessons.models import Lesson
from lessons.pages.queries import images_of
from sharing.services import add_owner

MAX_FILES = 200
MAX_BYTES = 40 * 1024 * 1024  # of all files together, unpacked
_IMAGES = "images"
_EARLIEST = (1980, 1, 1, 0, 0, 0)  # so that the same lessons always give the same zip


@dataclass(frozen=True)
class Exported:
    """A file to be downloaded."""

    name: str
    content_type: str
    content: bytes


def export_one(*, lesson: Lesson) -> Exported:
    """Return the lesson as one file: Markdown, or a zip if it shows images."""
    if images_of(lesson.texts()):
        return export_all(lessons=[lesson], name=lesson.slug)
    text = export_lesson(lesson=lesson)
    return Exported(f"{lesson.slug}.md", "text/markdown; charset=utf-8", text.encode())


def export_all(*, lessons: Iterable[Lesson], name: str = "lessons") -> Exported:
    """Return the lessons and their images as a zip."""
    files: dict[str, bytes] = {}
    for lesson in lessons:
        files[f"{lesson.slug}.md"] = export_lesson(lesson=lesson).encode()
        for image in images_of(lesson.texts()):
            with image.file.open() as file:
                files[f"{_IMAGES}/{image.name}.{image.format}"] = file.read()
    packed = BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, content in sorted(files.items()):
            archive.writestr(zipfile.ZipInfo(path, _EARLIEST), content, zipfile.ZIP_DEFLATED)
    return Exported(f"{name}.zip", "application/zip", packed.getvalue())


@transaction.atomic
def import_file(*, name: str, content: bytes, replace: bool, user: Any = None) -> list[Lesson]:
    """Import a file that `export_one` or `export_all` wrote, completely or not at all.

    Existing lessons and images are only replaced if `replace` is true.

    Raises:
        ContentError: something is wrong; it names the file and the line.
    """
    files = unpack(content) if zipfile.is_zipfile(BytesIO(content)) else {name: content}
    images = {path: data for path, data in files.items() if path.startswith(f"{_IMAGES}/")}
    texts = {path: _text(path, data) for path, data in files.items() if path not in images}
    if not texts:
        raise ContentError(_("there’s no lesson in this file"), where=name)
    sources: dict[str, LessonFile] = {}
    for path, text in texts.items():
        with errors_located_at(path):
            sources[path] = parse_lesson(text)
    for path, source in sources.items():
        with errors_located_at(path):
            import_images(images=source.images, files=images, replace=replace, user=user)
            _check_free(source, replace, user)
    lessons = []
    for path, source in sources.items():
        with errors_located_at(path):
            reason = _("Imported from %s") % name[:60]
            is_new = not Lesson.objects.filter(slug=source.fields.get("slug")).exists()
            lessons.append(import_source(source=source, user=user, reason=reason))
            if is_new and user is not None:
                add_owner(row=lessons[-1], user=user)
    # Lessons in one file may link to one another: by now all of them exist.
    for path, source in sources.items():
        with errors_located_at(path):
            _check_references(source)
    return lessons


def unpack(content: bytes) -> dict[str, bytes]:
    """Return the files of a zip by their paths, without writing them anywhere.

    Raises:
        ContentError: it is no zip of lessons, or an attack.
    """
    files: dict[str, bytes] = {}
    room = MAX_BYTES
    try:
        with zipfile.ZipFile(BytesIO(content)) as archive:
            members = [member for member in archive.infolist() if not _is_clutter(member)]
            if len(members) > MAX_FILES:
                raise ContentError(
                    _("the zip file contains more than %s files; split it") % MAX_FILES
                )
            around = _folder_around(members)
            for member in members:
                path = _safe_path(member, around)
                if path in files:
                    raise ContentError(
                        _("the zip file contains %s twice; remove one of them") % path
                    )
                with archive.open(member) as file:
                    # The sizes that the zip declares may be false.
                    files[path] = file.read(room + 1)
                room -= len(files[path])
                if room < 0:
                    message = _("the zip file unpacks to more than %s MB; split it")
                    raise ContentError(message % (MAX_BYTES >> 20))
    except ContentError:
        raise
    # Raised by zipfile if a zip's own list of its files is false.
    except (zipfile.BadZipFile, zlib.error, struct.error, EOFError, RuntimeError, OSError) as error:
        raise ContentError(_("the zip file is damaged or password-protected")) from error
    except (ValueError, OverflowError, IndexError, KeyError):
        raise ContentError(_("the zip file is damaged or password-protected")) from None
    return files


def _is_clutter(member: zipfile.ZipInfo) -> bool:
    """Return whether this is a folder or desktops' clutter: __MACOSX/._name.md, Thumbs.db."""
    path = PurePosixPath(member.filename)
    return member.is_dir() or path.name.startswith("._") or path.name in {".DS_Store", "Thumbs.db"}


def _folder_around(members: Sequence[zipfile.ZipInfo]) -> str:
    """Return the folder that was packed, or "" if its contents were packed without it."""
    paths = [PurePosixPath(member.filename) for member in members]
    tops = {path.parts[0] if len(path.parts) > 1 else "" for path in paths} - {_IMAGES}
    return tops.pop() if len(tops) == 1 else ""


def _safe_path(member: zipfile.ZipInfo, around: str) -> str:
    path = PurePosixPath(member.filename)
    is_link = stat.S_ISLNK(member.external_attr >> 16)
    if (
        is_link
        or not path.parts
        or path.is_absolute()
        or ".." in path.parts
        or {"\\", ":"} & set(str(path))
    ):
        raise ContentError(_("the zip file contains a path that points outside it: %s") % path)
    if member.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        message = _("the zip file uses a compression method that isn’t supported; use Deflate")
        raise ContentError(message)
    if path.parts[0] == around:
        path = path.relative_to(around)
    is_lesson = len(path.parts) == 1 and path.suffix == ".md"
    is_image = len(path.parts) == 2 and path.parts[0] == _IMAGES
    if not is_lesson and not is_image:
        message = _("%s is neither a lesson (name.md) nor an image (images/name.png)")
        raise ContentError(message % path)
    return str(path)


def _text(path: str, content: bytes) -> str:
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content[: error.start].count(b"\n") + 1
        message = _("this isn’t UTF-8 text; save it as UTF-8")
        raise ContentError(message, line=line, where=path) from None


def _check_free(source: LessonFile, replace: bool, user: Any) -> None:
    slug = source.fields.get("slug")
    there = Lesson.objects.filter(slug=slug)
    if not replace and there.exists():
        message = _("there’s already a lesson “%s”; choose to replace it")
        raise ContentError(message % slug)
    if user is not None and there.exists() and not there.editable_by(user).exists():
        message = _("there’s already a lesson “%s” that you can’t edit; give yours another name")
        raise ContentError(message % slug)


def _check_references(source: LessonFile) -> None:
    """Check the references in every text and the families, with the lines of the file."""
    forms = [
        form.strip()
        for word in source.words
        for form in (str(word.get("term", "")), *str(word.get("forms", "")).split(","))
    ]
    own = KnownReferences(
        slug=str(source.fields.get("slug")),
        sections=[section.slug for section in source.sections],
        words=[form for form in forms if form],
    )
    texts = [
        *((part, source.lines.get(part, 0), source.fields.get(part)) for part in Lesson.PARTS),
        *(
            (word.get("term"), source.lines.get(f"words.{number}.meaning", 0), word.get("meaning"))
            for number, word in enumerate(source.words)
        ),
        *((section.title, section.line, section.body) for section in source.sections),
    ]
    for where, line, text in texts:
        if not isinstance(text, str):
            continue
        try:
            check_references(text, own)
        except ContentError as error:
            raise error.moved(line, f"“{where}”") from None
    for key in (key for section in source.sections for key in section.families):
        try:
            check_family(key, own)
        except ContentError as error:
            line = source.lines.get(f"families.{key}", 0) + 1
            raise ContentError(error.message, line=line, where="“families”") from None
