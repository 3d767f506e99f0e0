"""Tags of questions, as instructors type them: words between commas."""

import unicodedata
from collections.abc import Iterable

from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _

from foundation.names import tidy_name
from quizzes.models import QuestionTag

MAX_TAGS = 20


def parse_tags(text: str) -> list[str]:
    """Return the tags of a text, each once: in small letters, with single spaces.

    Raises:
        ValidationError: one is too long, or there are too many.
    """
    typed = (tidy_name(unicodedata.normalize("NFC", each)).lower() for each in text.split(","))
    tags = list(dict.fromkeys(filter(None, typed)))
    most = QuestionTag.MAX_LENGTH
    if long := [tag for tag in tags if len(tag) > most]:
        words = _("“%(tag)s” is too long. A tag has at most %(most)s characters.")
        raise ValidationError(words % {"tag": long[0], "most": most})
    if len(tags) > MAX_TAGS:
        words = _("There are %(count)s tags. At most %(most)s are allowed.")
        raise ValidationError(words % {"count": len(tags), "most": MAX_TAGS})
    return tags


def format_tags(tags: Iterable[str]) -> str:
    """Return tags as they are typed."""
    return ", ".join(tags)
