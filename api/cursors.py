"""Pagination cursors: a page begins after a key, so that new rows never shift a list.

Lists are in the order of their keys, which only grow. A cursor is opaque to clients: its content
may change with any release.
"""

import re
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Callable, Sequence

MAX_PAGE_SIZE = 100
PAGE_SIZE = 50
MAX_LENGTH = 200


class InvalidCursor(ValueError):
    """A cursor that was not made by this list."""


def make_cursor(of: str, key: object) -> str:
    """Return the cursor that continues a list after this key.

    >>> make_cursor("classes", 12)
    'Y2xhc3NlczoxMg'
    """
    return urlsafe_b64encode(f"{of}:{key}".encode()).decode().rstrip("=")


def decode_cursor(of: str, sent: str) -> str:
    """Return the key in a cursor of this list, or "" if none was sent.

    >>> decode_cursor("classes", make_cursor("classes", 12))
    '12'

    Raises:
        InvalidCursor: it is malformed, or another list's.
    """
    if not sent:
        return ""
    if not re.fullmatch(r"[\w-]+", sent, re.ASCII) or len(sent) > MAX_LENGTH:
        raise InvalidCursor
    try:
        name, _, key = urlsafe_b64decode(sent + "=" * (-len(sent) % 4)).decode().rpartition(":")
    except ValueError as trouble:
        raise InvalidCursor from trouble
    if name != of or make_cursor(of, key) != sent:
        raise InvalidCursor
    return key


def decode_numeric_cursor(of: str, sent: str) -> int:
    """Return the numeric key in a cursor of this list, or 0 if none was sent.

    Raises:
        InvalidCursor: it is malformed, or another list's.
    """
    key = decode_cursor(of, sent)
    if key and not re.fullmatch(r"[0-9]{1,18}", key, re.ASCII):
        raise InvalidCursor
    return int(key or 0)


def paginate[T](
    of: str, found: Sequence[T], limit: int, key: Callable[[T], object]
) -> tuple[list[T], str | None]:
    """Return a page's rows and the cursor of the next page, or None after the last page.

    `found` holds one row more than `limit` if there is a next page.
    """
    listed = list(found[:limit])
    return listed, make_cursor(of, key(listed[-1])) if len(found) > limit else None
