"""Registry of verbs and their words. An app registers its verbs when it is ready.

The words may use the event's %(target)s and %(person)s, and any name in its `before` and `after`
values; for a name in both, the value in `after` is used.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from django.utils.functional import Promise
from django.utils.html import conditional_escape
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

_words: dict[str, str | Promise] = {}
_marks: dict[str, frozenset[str]] = {}


class UnknownVerb(ValueError):
    """Raised for a verb that no app has registered."""


class _Values(dict[str, Any]):
    def __missing__(self, name: str) -> str:
        return _("(unknown)")  # an event recorded before the words used this name


def register(verb: str, words: str | Promise, marks: Iterable[str] = ()) -> None:
    """Register a verb, for example "app.thing.done", and its words.

    `marks` are the names of values that reveal how well somebody did, which may have to stay
    secret from that person. An app may replace the words of another's verb, but not its marks.
    """
    _words[verb] = words
    _marks[verb] = _marks.get(verb, frozenset()).union(marks)


def check_registered(verb: str) -> None:
    """Raise UnknownVerb unless the verb is registered."""
    if verb not in _words:
        raise UnknownVerb(verb)


def describe(verb: str, values: Mapping[str, Any]) -> str:
    """Return an action in words, or the verb itself if its app is no longer installed."""
    return str(_words[verb]) % _Values(values) if verb in _words else verb


def describe_html(verb: str, values: Mapping[str, Any]) -> SafeString:
    """Return an action in words as HTML, escaping values that are not marked safe."""
    escaped = {name: conditional_escape(value) for name, value in values.items()}
    words = conditional_escape(_words.get(verb, verb.replace("%", "%%")))
    return SafeString(words % _Values(escaped))


def without_marks(verb: str, values: Mapping[str, Any]) -> dict[str, Any]:
    """Return an event's values without those that reveal marks."""
    marks = _marks.get(verb, frozenset())
    return {name: value for name, value in values.items() if name not in marks}


def registered_verbs() -> list[str]:
    """Return all registered verbs in order."""
    return sorted(_words)
