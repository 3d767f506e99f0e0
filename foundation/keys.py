"""Numbers in URLs and forms: primary keys and revisions."""

import re

from django.urls.converters import IntConverter

# As many digits as the integers of every database hold.
KEY = re.compile(r"[0-9]{1,18}")
MAX_REVISION = 2**31 - 1


class KeyConverter(IntConverter):
    """A path converter for primary keys. A number with more digits matches no URL."""

    regex = KEY.pattern


def parse_key(text: str) -> int | None:
    """Return the key in a submitted text, or None if no row can have it."""
    return int(text) if KEY.fullmatch(text) else None
