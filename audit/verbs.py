"""What can be done, in words. An app registers its verbs when it is ready.

The words may name the event's %(target)s and %(person)s, and whatever stands in what it was before
and after; of a name that stands in both, after says.
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
    """No app has registered it."""


class _Told(dict[str, Any]):
    def __missing__(self, name: str) -> str:
        return _("(unknown)")  # an older event, of before the words named it


def register(verb: str, words: str | Promise, marks: Iterable[str] = ()) -> None:
    """Make known a verb, as app.thing.done, and what a page says of it.

    `marks` names the values that say how well somebody did, which may have to stay secret from
    that person. An app may give a verb of another its own words; marks stay marks.
    """
    _words[verb] = words
    _marks[verb] = _marks.get(verb, frozenset()).union(marks)


def check(verb: str) -> None:
    """Raise unless somebody has registered it."""
    if verb not in _words:
        raise UnknownVerb(verb)


def told(verb: str, values: Mapping[str, Any]) -> str:
    """The deed in words; the verb itself, where the app that had it is gone."""
    return str(_words[verb]) % _Told(values) if verb in _words else verb


def told_html(verb: str, values: Mapping[str, Any]) -> SafeString:
    """Return the deed in words as HTML; values that are no HTML are escaped."""
    escaped = {name: conditional_escape(value) for name, value in values.items()}
    words = conditional_escape(_words.get(verb, verb.replace("%", "%%")))
    return SafeString(words % _Told(escaped))


def without_marks(verb: str, values: Mapping[str, Any]) -> dict[str, Any]:
    """The values of a deed that tell no marks."""
    marks = _marks.get(verb, frozenset())
    return {name: value for name, value in values.items() if name not in marks}


def known() -> list[str]:
    """Every verb that is registered."""
    return sorted(_words)
