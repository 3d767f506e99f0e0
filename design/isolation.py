"""HTML for text that users typed, isolated from the direction of the text around it."""

from typing import Any

from django.utils.functional import Promise
from django.utils.html import conditional_escape, format_html
from django.utils.safestring import SafeString


def bdi(text: object) -> SafeString:
    """Return the text as HTML that keeps its own direction, whichever way it is written."""
    return format_html("<bdi>{}</bdi>", text)


def format_sentence(words: str | Promise, values: dict[str, Any]) -> SafeString:
    """Return words with placeholders as HTML; values that are no HTML are escaped."""
    escaped = {name: conditional_escape(value) for name, value in values.items()}
    return SafeString(conditional_escape(words) % escaped)
