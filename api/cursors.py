"""Pagination cursors: a page begins after a key, so that new rows never shift a list.

Lists are in the order of their keys, which only grow. A cursor is opaque to clients: its content
may change with any release.
"""

import re
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Callable, Sequence

MOST_ON_A_PAGE = 100
ON_A_PAGE = 50
LONGEST = 200


class NoCursor(ValueError):
    """A cursor that was not made by this list."""


def cursor(of: str, key: object) -> str:
    """Return the cursor that continues a list after this key.

    >>> cursor("classes", 12)
    'Y2xhc3NlczoxMg'
    """
    return urlsafe_b64encode(f"{of}:{key}".encode()).decode().rstrip("=")


def key_in(of: str, sent: str) -> str:
    """Return the key in a cursor of this list, or "" if none was sent.

    >>> key_in("classes", cursor("classes", 12))
    '12'

    Raises:
        NoCursor: it is malformed, or another list's.
    """
    if not sent:
        return ""
    if not re.fullmatch(r"[\w-]+", sent, re.ASCII) or len(sent) > LONGEST:
        raise NoCursor
    try:
        name, _, key = urlsafe_b64decode(sent + "=" * (-len(sent) % 4)).decode().rpartition(":")
    except ValueError as trouble:
        raise NoCursor from trouble
    if name != of or cursor(of, key) != sent:
        raise NoCursor
    return key


def number_in(of: str, sent: str) -> int:
    """Return the numeric key in a cursor of this list, or 0 if none was sent.

    Raises:
        NoCursor: it is malformed, or another list's.
    """
    key = key_in(of, sent)
    if key and not re.fullmatch(r"[0-9]{1,18}", key, re.ASCII):
        raise NoCursor
    return int(key or 0)


def page[T](
    of: str, found: Sequence[T], limit: int, key: Callable[[T], object]
) -> tuple[list[T], str | None]:
    """Return a page's rows and the cursor of the next page, or None after the last page.

    `found` holds one row more than `limit` if there is a next page.
    """
    listed = list(found[:limit])
    return listed, cursor(of, key(listed[-1])) if len(found) > limit else None
