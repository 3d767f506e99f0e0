"""What can be done, in words. An app registers its verbs when it is ready.

The words may name the event's %(target)s and %(person)s, and whatever stands in what it was before
and after; of a name that stands in both, after says.
"""

from collections.abc import Mapping
from typing import Any

from django.utils.functional import Promise
from django.utils.translation import gettext as _

_words: dict[str, str | Promise] = {}


class UnknownVerb(ValueError):
    """No app has registered it."""


class _Told(dict[str, Any]):
    def __missing__(self, name: str) -> str:
        return _("(unknown)")  # an older event, of before the words named it


def register(verb: str, words: str | Promise) -> None:
    """Make known a verb, as app.thing.done, and what a page says of it."""
    _words[verb] = words


def check(verb: str) -> None:
    """Raise unless somebody has registered it."""
    if verb not in _words:
        raise UnknownVerb(verb)


def told(verb: str, values: Mapping[str, Any]) -> str:
    """The deed in words; the verb itself, where the app that had it is gone."""
    return str(_words[verb]) % _Told(values) if verb in _words else verb


def known() -> list[str]:
    """Every verb that is registered."""
    return sorted(_words)
