"""Names of downloaded files, in any script (RFC 6266)."""

import re
from pathlib import PurePosixPath
from urllib.parse import quote

from django.utils.http import content_disposition_header
from django.utils.text import slugify

from foundation.names import tidy_name

MAX_PART_BYTES = 80  # bytes; file systems take 255 for a whole name
_UNFIT = re.compile(r'[\x00-\x1f\x7f/\\:*?"<>|]')


def file_name(*parts: str) -> str:
    """Return a file name joined from titles, without characters that file names cannot have."""
    fit = (tidy_name(_UNFIT.sub(" ", part)).strip(". ") for part in parts)
    return "-".join(_shortened(part) for part in fit if part)


def content_disposition(name: str, *, is_attachment: bool = True) -> str:
    """Return the Content-Disposition header for a file of this name.

    Programs that do not read `filename*` get the name in ASCII letters, as far as it has any.
    """
    path = PurePosixPath(name)
    plain = f"{slugify(path.stem) or 'download'}{path.suffix}"
    header = content_disposition_header(is_attachment, plain) or ""
    return header if plain == name else f"{header}; filename*=utf-8''{quote(name, safe='')}"


def _shortened(part: str) -> str:
    return tidy_name(part.encode()[:MAX_PART_BYTES].decode(errors="ignore"))
