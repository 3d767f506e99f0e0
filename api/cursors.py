"""Where the next page of a list begins: after a key, so that nothing new moves what is listed.

Lists are in the order of their keys, which only grow. A cursor is nobody's business but ours: what
it says may change with any release.
"""

import re
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Callable, Sequence

MOST_ON_A_PAGE = 100
ON_A_PAGE = 50
LONGEST = 200


class NoCursor(ValueError):
    """It was not made by this list."""


def cursor(of: str, key: object) -> str:
    """The place after this key in a list.

    >>> cursor("classes", 12)
    'Y2xhc3NlczoxMg'
    """
    return urlsafe_b64encode(f"{of}:{key}".encode()).decode().rstrip("=")


def key_in(of: str, sent: str) -> str:
    """The key that a cursor of this list says; "" where none was sent.

    >>> key_in("classes", cursor("classes", 12))
    '12'

    Raises:
        NoCursor: it is none, or another list's.
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
    """The same where keys are numbers; 0 where none was sent."""
    key = key_in(of, sent)
    if key and not re.fullmatch(r"[0-9]{1,18}", key, re.ASCII):
        raise NoCursor
    return int(key or 0)


def page[T](
    of: str, found: Sequence[T], limit: int, key: Callable[[T], object]
) -> tuple[list[T], str | None]:
    """Of rows that were read with one more than wanted: the wanted ones, and where to go on."""
    listed = list(found[:limit])
    return listed, cursor(of, key(listed[-1])) if len(found) > limit else None
