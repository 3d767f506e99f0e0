"""Template contexts of one person in a class."""

from collections.abc import Collection, Sequence
from typing import Any

from outbox.models import Message
from outbox.presenters import read_messages


def letter_lines(letters: Sequence[Message], shared: Collection[int]) -> list[dict[str, Any]]:
    """Return each letter with its subject and text, as it was sent or would be now.

    Shared letters were sent in one email with others, which are not this class's to read: they are
    listed without their texts.
    """
    texts = read_messages([each for each in letters if each.pk not in shared])
    return [
        {
            "letter": each,
            "title": texts[each.pk][0] if each.pk in texts else each.kind_title,
            "text": texts[each.pk][1] if each.pk in texts else "",
            "is_shared": each.pk in shared,
        }
        for each in letters
    ]
