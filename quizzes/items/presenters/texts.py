"""Renders authors' Markdown for pages, even if something in it is wrong."""

import re
from functools import lru_cache
from html import unescape

from django.utils.html import format_html, strip_tags
from django.utils.safestring import SafeString
from django.utils.translation import ngettext

from design.matrix import MINUS, format_number
from design.translation import gettext as _
from lessons.errors import ContentError
from lessons.markdown.inline import render_inline
from lessons.markdown.mathml import convert_to_mathml
from lessons.markdown.parsing import display_formula
from lessons.markdown.pictures import IMAGE, NO_PICTURES, Pictures
from lessons.markdown.sanitising import sanitise
from lessons.pages.queries import pictures_in
from lessons.rendering import render_markdown

# A sign that begins or ends a formula.
_DOLLAR = re.compile(r"(?<!\\)[$]")


def render_block(text: str) -> SafeString:
    """Render paragraphs. Invalid text that was stored unchecked is shown as it was written."""
    try:
        return render_markdown(text, pictures=_pictures_of(text))
    except ContentError:
        return format_html("<p>{}</p>", text)


def render_line(text: str) -> SafeString:
    """Render one line without a paragraph around it."""
    try:
        return render_inline(text, pictures=_pictures_of(text))
    except ContentError:
        return format_html("{}", text)


def check_line(text: str) -> None:
    """Raise ContentError for a line that can't be rendered as its author means it."""
    render_inline(text, pictures=_pictures_of(text))
    if len(_DOLLAR.findall(text)) % 2:
        words = _("one “$” is missing. Write $x$ for a formula, \\$ for a dollar sign.")
        raise ContentError(words)


def _pictures_of(text: str) -> Pictures:
    return pictures_in([text]) if IMAGE in text else NO_PICTURES


def strip_markup(text: str) -> str:
    """Return only the words, for labels that cannot have HTML."""
    return words_of(render_line(text))


# The labels of a matrix's cells repeat its caption, cell by cell.
@lru_cache(maxsize=2048)
def words_of(html: str) -> str:
    """Return only the words of a rendered line."""
    # MathML writes an unseen sign between a function and its argument.
    return unescape(strip_tags(html)).replace("\N{FUNCTION APPLICATION}", "")


def render_formula(latex: str) -> SafeString:
    """Render a displayed formula, as a paragraph of Markdown would, without parsing one."""
    try:
        formula = display_formula(convert_to_mathml(latex, display=True), latex) if latex else ""
    except ContentError:
        return format_html("<p>{}</p>", f"$$\n{latex}\n$$")
    return SafeString(sanitise(f"{formula}\n") if formula else "")


def format_points(points: float) -> str:
    """Format points with at most two decimals: 2, 0.5, 1.67."""
    return format_number(round(points, 2))


def format_percent(percent: float) -> str:
    """Format a percentage without decimals: 67%."""
    return _("%(percent)s%%") % {"percent": format_number(percent, 0)}


def format_minutes(minutes: float) -> str:
    """Format minutes with one decimal: 2.5 min."""
    return _("%(minutes)s min") % {"minutes": format_number(minutes, 1)}


def whole_minutes(minutes: float) -> int:
    """Round minutes to whole ones, and to at least one."""
    return max(1, round(minutes))


def format_points_with_noun(number: float) -> str:
    """Format points with their noun: 1 point, 2 points."""
    words = ngettext("%(points)s point", "%(points)s points", 1 if number == 1 else 2)
    return words % {"points": format_points(number)}


def format_typed(text: str) -> str:
    """Return what was typed, with a real minus sign."""
    text = text.strip()
    return MINUS + text[1:] if text.startswith("-") else text
