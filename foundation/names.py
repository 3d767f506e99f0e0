"""Names as people type them: of people, classes, sections and labels."""

import re
import unicodedata
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext_lazy

NON_JOINER, JOINER = "\u200c", "\u200d"
# Invisible characters besides those that Unicode calls control or format: fillers of Hangul and
# Khmer, the empty Braille cell, and characters that no font has to draw.
_BLANK = (
    "\u034f\u115f\u1160\u17b4\u17b5\u2065\u2800\u3164\uffa0\ufdd0-\ufdef\ufff0-\ufff8"
    "\ufffe\uffff\U0001d159\U000e0000-\U000e00ff\U000e01f0-\U000e0fff"
)
# They select a variant of the character before, and are invisible by themselves.
_SELECTOR = "\u180b-\u180d\u180f\ufe00-\ufe0f\U000e0100-\U000e01ef"
_is_blank = re.compile(f"[{_BLANK}]").match
_is_selector = re.compile(f"[{_SELECTOR}]").match
_has_unseen = re.compile(f"[{_BLANK}{_SELECTOR}]").search
# Visible characters of Arabic, Syriac and Kaithi that Unicode classes as format characters.
_DRAWN = frozenset("\u0600\u0601\u0602\u0603\u0604\u0605\u06dd\u070f\u0890\u0891\u08e2\U000110bd")


def tidy_name(text: str) -> str:
    """Return the text with single spaces and without invisible characters.

    Joiners stay between letters or pictographs, where Persian, Sinhala and families of emoji need
    them. Direction marks and all else that is invisible are removed, and so are marks that follow
    no letter. A text without any visible character comes back empty.
    """
    words = text.split()
    if text.isprintable() and not _has_unseen(text) and not any(map(_begins_with_mark, words)):
        return " ".join(words)
    seen: list[str] = []
    joiner = ""
    for sign in text:
        if sign in (NON_JOINER, JOINER):
            if not joiner and seen and _joins(seen[-1]):
                joiner = sign
            continue
        if sign.isspace():
            joiner = ""
            if seen and seen[-1] != " ":
                seen.append(" ")
            continue
        if _is_selector(sign) or _is_mark(sign):
            if not seen or seen[-1] == " " or _is_blank(sign):
                continue
        elif _is_invisible(sign):
            continue
        if joiner and _joins(sign):
            seen.append(joiner)
        joiner = ""
        seen.append(sign)
    return "".join(seen).rstrip(" ")


def _begins_with_mark(word: str) -> bool:
    return _is_mark(word[0])


def _is_mark(sign: str) -> bool:
    return unicodedata.category(sign)[0] == "M"


def _is_invisible(sign: str) -> bool:
    kind = unicodedata.category(sign)
    return (kind in ("Cc", "Cf", "Cs") and sign not in _DRAWN) or bool(_is_blank(sign))


def _joins(sign: str) -> bool:
    """Return whether a joiner can be next to this character: a letter, a mark or a pictograph."""
    kind = unicodedata.category(sign)[0]
    return kind in "LM" or (kind == "S" and not sign.isascii())


class NameField(forms.CharField):
    """A field for a name: tidied, with at least one visible character."""

    default_error_messages = {
        "invisible": gettext_lazy("Enter a name with at least one visible character.")
    }

    def to_python(self, value: Any) -> str:
        typed = super().to_python(value)
        if "\0" in typed:
            return typed  # the field's own validator refuses it
        name = tidy_name(typed)
        if typed and not name:
            raise ValidationError(self.error_messages["invisible"], "invisible")
        return name
