"""Errors in what authors write."""

from collections.abc import Collection, Iterator
from contextlib import contextmanager
from difflib import get_close_matches

from django.utils.translation import gettext as _


class ContentError(ValueError):
    """An error that the author of a text should correct, with its line."""

    def __init__(
        self, message: str, *, line: int | None = None, column: int | None = None, where: str = ""
    ):
        super().__init__(message)
        self.message = message
        self.line = line
        self.column = column
        self.where = where

    def __str__(self) -> str:
        places = [
            self.where,
            _("line %(line)s") % {"line": self.line} if self.line else "",
            _("column %(column)s") % {"column": self.column} if self.line and self.column else "",
        ]
        place = ", ".join(filter(None, places))
        if not place:
            return self.message
        if not self.where:
            place = place[:1].upper() + place[1:]
        return _("%(place)s: %(message)s") % {"place": place, "message": self.message}

    def moved(self, lines: int = 0, where: str = "") -> "ContentError":
        """Return the same error for a larger text in which this one starts `lines` further down."""
        line = self.line + lines if self.line else None
        where = where or self.where
        return ContentError(self.message, line=line, column=self.column, where=where)


@contextmanager
def errors_located_at(place: str) -> Iterator[None]:
    """Add this place, a file for example, to the ContentErrors raised inside."""
    try:
        yield
    except ContentError as error:
        raise error.moved(where=", ".join(filter(None, (place, error.where)))) from None


def missing_name_message(message: str, name: str, there: Collection[str], **more: str) -> str:
    """Return the message that a name does not exist, with the one that may have been meant."""
    message %= {"name": name, **more}
    if near := get_close_matches(name, sorted(there), n=1):
        return _("%(message)s; did you mean “%(near)s”?") % {"message": message, "near": near[0]}
    return message
