"""Texts in the reader's language, each looked up once: Django asks a dozen catalogues each time."""

from collections import defaultdict
from collections.abc import Callable

from django.utils import translation
from django.utils.functional import lazy


class _Texts(dict[str, str]):
    """Translations into the language of this moment."""

    def __missing__(self, text: str) -> str:
        found = self[text] = translation.gettext(text)
        return found


_texts: defaultdict[str | None, _Texts] = defaultdict(_Texts)


def current_texts() -> Callable[[str], str]:
    """Return `gettext` for the language of this moment alone: a template has hundreds of texts."""
    return _texts[translation.get_language()].__getitem__


def gettext(text: str) -> str:
    """Return a text in the reader's language, for pages that have dozens."""
    return _texts[translation.get_language()][text]


gettext_lazy = lazy(gettext, str)
