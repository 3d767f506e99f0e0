"""Validation of uploaded images by their content; file names prove nothing."""

import hashlib
import warnings
from dataclasses import dataclass
from io import BytesIO

from django.utils.translation import gettext as _
from PIL import Image

from lessons.errors import ContentError
from lessons.models import LessonImage

MAX_BYTES = 2 * 1024 * 1024
MAX_SIDE_PIXELS = 4000
FORMATS = {
    "PNG": LessonImage.Format.PNG,
    "JPEG": LessonImage.Format.JPEG,
    "WEBP": LessonImage.Format.WEBP,
}
_ORIENTATION = 0x0112  # the Exif tag: from 5 on, the picture lies on its side
_NOTES = {"xmp", "XML:com.adobe.xmp", "comment", "photoshop"}
_LOOKS = {"icc_profile", "transparency", "gamma"}
_AS_GOOD = {"JPEG": {"quality": "keep"}, "PNG": {}, "WEBP": {"quality": 90}}


@dataclass(frozen=True)
class ImageInfo:
    """An image's properties as found in its content."""

    format: str
    width: int
    height: int
    digest: str


def inspect_image(content: bytes) -> ImageInfo:
    """Return the properties of an image; its name and declared type do not matter.

    Raises:
        ContentError: it is no PNG, JPEG or WebP that a lesson can show.
    """
    if len(content) > MAX_BYTES:
        raise ContentError(
            _("the image is larger than %(most)s MB; make it smaller") % {"most": MAX_BYTES >> 20}
        )
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", Image.DecompressionBombWarning)
            return _examined(content)
    except (OSError, SyntaxError, ValueError, Image.DecompressionBombError, Warning) as error:
        if isinstance(error, ContentError):
            raise
        raise ContentError(_("this isn’t a PNG, JPEG or WebP image, or it’s damaged")) from None


def strip_metadata(content: bytes) -> bytes:
    """Return the image without metadata such as place, owner and time.

    Its appearance and orientation stay. An image without such metadata is returned unchanged.
    """
    with Image.open(BytesIO(content), formats=list(FORMATS)) as image:
        image.load()  # also reads metadata that follows the picture in the file
        noted = dict(image.getexif())
        lies = noted.pop(_ORIENTATION, 1)
        if not noted and not _NOTES & set(image.info) and not getattr(image, "text", None):
            return content
        image.info = {name: image.info[name] for name in _LOOKS & set(image.info)}
        exif = Image.Exif()
        if lies > 1:
            exif[_ORIENTATION] = lies
        file = BytesIO()
        image.save(file, image.format, exif=exif, **_AS_GOOD[image.format])
        return file.getvalue()


def _examined(content: bytes) -> ImageInfo:
    with Image.open(BytesIO(content), formats=list(FORMATS)) as image:
        width, height = image.size
        if max(width, height) > MAX_SIDE_PIXELS:
            words = _(
                "the image has %(width)s × %(height)s pixels; at most %(most)s are allowed on"
                " each side"
            )
            sizes = {"width": width, "height": height, "most": MAX_SIDE_PIXELS}
            raise ContentError(words % sizes)
        if getattr(image, "n_frames", 1) > 1:
            raise ContentError(_("the image is animated; only still images are allowed"))
        found = FORMATS[image.format]
        image.load()  # the header alone proves nothing
        if image.getexif().get(_ORIENTATION, 1) >= 5:
            width, height = height, width
    return ImageInfo(found, width, height, hashlib.sha256(content).hexdigest())
