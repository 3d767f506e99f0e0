"""Normalization of the signs in typed numbers: dashes, slashes, fractions, superscripts.

The page's scripts use the same tables (quizzes/static/quizzes/items/signs.js).
"""

import re
import unicodedata

# Format characters and variation selectors: invisible, and copied along with a number by editors
# and browsers.
INVISIBLE = (
    "\u00ad\u034f\u0600-\u0605\u061c\u06dd\u070f\u0890\u0891\u08e2\u115f\u1160\u17b4\u17b5"
    "\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0"
    "\ufff0-\ufffb\U000110bd\U000110cd\U00013430-\U0001343f\U0001bca0-\U0001bca3"
    "\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
)
# The minus sign, and the characters that documents and keyboards put in its place.
DASHES = "−‐‑‒–—―⸺⸻˗⁃־➖﹘﹣－ーｰ─"
SLASHES = "⁄∕／"
# NFKC writes their values as 1⁄2.
FRACTIONS = "¼½¾⅐⅑⅒⅓⅔⅕⅖⅗⅘⅙⅚⅛⅜⅝⅞↉"
_SUPERSCRIPTS = "⁰¹²³⁴⁵⁶⁷⁸⁹"

_INVISIBLE = re.compile(f"[{INVISIBLE}]+")
_FRACTION = re.compile(rf"(?:(?<![0-9.,])([0-9]+)[ \u00a0\u2009\u202f]?)?([{FRACTIONS}])")
_EXPONENT = re.compile(rf"(?<=[\w)])[⁺⁻]?[{_SUPERSCRIPTS}]+")
_SAME = str.maketrans(dict.fromkeys(DASHES, "-") | dict.fromkeys(SLASHES, "/"))


def remove_invisible(text: str) -> str:
    r"""Return the text without characters that cannot be seen.

    >>> remove_invisible("\ufeff0.5\u200b")
    '0.5'
    """
    return text if text.isascii() else _INVISIBLE.sub("", text)


def is_blank(text: str) -> bool:
    r"""Return whether nothing can be seen in the text.

    >>> is_blank(" \u200b"), is_blank("0")
    (True, False)
    """
    return not remove_invisible(text).strip()


def normalize_signs(text: str) -> str:
    """Return the text as it would be typed on a plain keyboard.

    >>> normalize_signs("–1½"), normalize_signs("2×10⁻³"), normalize_signs("3⁄4")
    ('-(1+1/2)', '2×10^(-3)', '3/4')
    """
    if text.isascii():
        return text
    text = _FRACTION.sub(_written_out, _INVISIBLE.sub("", text))
    return _EXPONENT.sub(lambda raised: f"^({_nfkc(raised[0])})", text).translate(_SAME)


def _written_out(fraction: re.Match[str]) -> str:
    whole = f"{fraction[1]}+" if fraction[1] else ""
    return f"({whole}{_nfkc(fraction[2])})"


def _nfkc(signs: str) -> str:
    return unicodedata.normalize("NFKC", signs)
