"""The sanitiser: whatever the renderer wrote, only harmless HTML and MathML pass."""

import re
from typing import Any

import nh3

from lessons.markdown.mathml import MATHML_CLASSES

_PROSE = {
    *("p", "h3", "h4", "h5", "h6", "ul", "ol", "li", "blockquote", "hr", "br", "wbr"),
    *("em", "strong", "s", "code", "pre", "a", "span", "div", "button"),
    *("table", "thead", "tbody", "tr", "th", "td"),
    *("figure", "figcaption", "img"),
}
_MATHML = {
    *("math", "mrow", "mi", "mn", "mo", "ms", "mtext", "mspace", "mpadded", "mphantom"),
    *("mfrac", "msqrt", "mroot", "msub", "msup", "msubsup", "munder", "mover", "munderover"),
    *("mmultiscripts", "mprescripts", "mtable", "mtr", "mtd", "menclose", "semantics"),
}
_MATHML_ATTRIBUTES = {
    *("display", "displaystyle", "scriptlevel", "mathvariant", "form", "fence", "separator"),
    *("stretchy", "symmetric", "largeop", "movablelimits", "accent", "accentunder", "notation"),
    *("lspace", "rspace", "width", "height", "depth", "voffset", "minsize", "maxsize"),
    *("linethickness", "columnspacing", "rowspacing"),
}

_OWN_IMAGE = re.compile(r"/(?:[-\w]+/)*images/[-\w]+/[0-9a-f]+/")


def _kept(tag: str, name: str, value: str) -> str | None:
    """Return an attribute's value, or None for an image from outside the site's own store."""
    if (tag, name) == ("img", "src") and not _OWN_IMAGE.fullmatch(value):
        return None
    return value


def _cleaner(**options: Any) -> nh3.Cleaner:
    return nh3.Cleaner(
        **options,
        attributes={
            "a": {"href", "title"},
            "button": {"type", "popovertarget"},
            "div": {"role", "aria-label", "tabindex"},
            "img": {"src", "alt", "width", "height", "loading"},
            "ol": {"start"},
            "pre": {"role", "aria-label", "tabindex"},
            "th": {"scope"},
            **dict.fromkeys(_MATHML, _MATHML_ATTRIBUTES),
        },
        allowed_classes={
            "button": {"word"},
            "span": {"kept", "missing-image"},
            "div": {"formula", "table-scroll"},
            "th": {"centre", "right"},
            "td": {"centre", "right"},
            **{tag: set(MATHML_CLASSES) for tag in _MATHML},
        },
        url_schemes={"http", "https", "mailto"},
        clean_content_tags={"script", "style"},
    )


_with_images = _cleaner(tags=_PROSE | _MATHML, attribute_filter=_kept)
# A filter takes longer than all the rest, and most texts have no image.
_without_images = _cleaner(tags=(_PROSE | _MATHML) - {"img"})


def sanitise(html: str) -> str:
    """Return the HTML without anything that could run, load, restyle or navigate by itself."""
    return (_with_images if "<img" in html else _without_images).clean(html)
