"""Numbers in addresses and forms: keys of rows, and revisions."""

import re

from django.urls.converters import IntConverter

# As many digits as every database's integers hold.
KEY = re.compile(r"[0-9]{1,18}")
LARGEST_REVISION = 2**31 - 1


class KeyConverter(IntConverter):
    """A number that a row may have; with more digits an address leads nowhere."""

    regex = KEY.pattern


def key_of(text: str) -> int | None:
    """Return the key that somebody sent, or None where no row can have it."""
    return int(text) if KEY.fullmatch(text) else None
