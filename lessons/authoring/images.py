"""The only writers of images, and what an image must be to become one."""

import hashlib
import warnings
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from io import BytesIO
from pathlib import PurePosixPath

from django.core.exceptions import ValidationError
from django.core.files.base import ContentFile
from django.db import transaction
from django.utils.translation import gettext as _
from PIL import Image

from lessons.errors import ContentError
from lessons.models import LessonImage

MOST_BYTES = 2 * 1024 * 1024
MOST_PIXELS_A_SIDE = 4000
FORMATS = {
    "PNG": LessonImage.Format.PNG,
    "JPEG": LessonImage.Format.JPEG,
    "WEBP": LessonImage.Format.WEBP,
}
_ORIENTATION = 0x0112  # of Exif: from 5 on, the picture lies on its side


@dataclass(frozen=True)
class ImageFacts:
    """What was found by looking into an image's bytes."""

    format: str
    width: int
    height: int
    digest: str


def look_into(content: bytes) -> ImageFacts:
    """What image these bytes are; their name and announced type play no part.

    Raises:
        ContentError: they are no PNG, JPEG or WebP that a lesson can show.
    """
    if len(content) > MOST_BYTES:
        raise ContentError(
            _("the image is larger than %(most)s MB; save it smaller") % {"most": MOST_BYTES >> 20}
        )
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", Image.DecompressionBombWarning)
            return _examined(content)
    except (OSError, SyntaxError, ValueError, Image.DecompressionBombError, Warning) as error:
        if isinstance(error, ContentError):
            raise
        raise ContentError(_("this is no PNG, JPEG or WebP image, or it is damaged")) from None


def _examined(content: bytes) -> ImageFacts:
    with Image.open(BytesIO(content), formats=list(FORMATS)) as image:
        width, height = image.size
        if max(width, height) > MOST_PIXELS_A_SIDE:
            told = _("the image has %(width)s × %(height)s pixels; at most %(most)s a side")
            sizes = {"width": width, "height": height, "most": MOST_PIXELS_A_SIDE}
            raise ContentError(told % sizes)
        if getattr(image, "n_frames", 1) > 1:
            raise ContentError(_("the image moves; lessons show still ones"))
        found = FORMATS[image.format]
        image.load()  # a header alone may promise anything
        if image.getexif().get(_ORIENTATION, 1) >= 5:
            width, height = height, width
    return ImageFacts(found, width, height, hashlib.sha256(content).hexdigest())


@transaction.atomic
def save_image(
    *, name: str, alt: str, content: bytes | None = None, image: LessonImage | None = None
) -> LessonImage:
    """Store an image under its name, or give one a new name, text or content.

    Raises:
        ContentError: the content is none that a lesson can show.
        ValidationError: the name or the text cannot be.
    """
    image = image or LessonImage()
    image.name, image.alt = name, alt
    before = image.file.name if image.pk else ""
    if content is not None:
        for key, value in vars(look_into(content)).items():
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
    """Only once nothing refers to the file any more, for certain."""
    transaction.on_commit(lambda: image.file.storage.delete(file), robust=True)


@transaction.atomic
def import_images(
    images: Iterable[Mapping[str, str]], files: Mapping[str, bytes], replace: bool
) -> None:
    """Save the images that a lesson's file lists, out of the files that came with it.

    Raises:
        ContentError: a file is missing or no image, or another image would have to be replaced.
    """
    for given in images:
        name = given["name"]
        stored = LessonImage.objects.filter(name=name).first()
        found = [files[path] for path in files if PurePosixPath(path).stem == name]
        if not found:
            if stored is None:
                raise ContentError(_("the file of the image “%s” is missing") % name)
            continue
        try:
            same = stored and stored.digest == hashlib.sha256(found[0]).hexdigest()
            if stored and not replace and not (same and stored.alt == given["alt"]):
                told = _("there is another image “%s” already; say that it may be replaced")
                raise ContentError(told % name)
            if not same or stored.alt != given["alt"]:
                content = None if same else found[0]
                save_image(name=name, alt=given["alt"], content=content, image=stored)
        except ValidationError as error:
            where = _("image “%s”") % name
            raise ContentError(" ".join(error.messages), where=where) from None
