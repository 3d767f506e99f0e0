"""Inline Markdown: formulas, links and images within a line."""

from functools import lru_cache

from django.urls import NoReverseMatch, reverse
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import get_language
from django.utils.translation import gettext as _
from markdown_it.token import Token

from lessons.errors import ContentError
from lessons.markdown.glossary import Marker
from lessons.markdown.mathml import convert_to_mathml
from lessons.markdown.parsing import (
    MAX_PARAGRAPH_LENGTH,
    images_in,
    keep_with_punctuation,
    parse_inline,
    render_tokens,
    with_lines,
)
from lessons.markdown.pictures import NO_PICTURES, Picture, Pictures, render_picture
from lessons.markdown.sanitising import sanitise


def render_inline(text: str, *, pictures: Pictures = NO_PICTURES) -> SafeString:
    """Return one line of Markdown, maths included, as safe HTML without a paragraph around it.

    An image that is not among the `pictures` is replaced by its words.

    Raises:
        ContentError: as for `lessons.rendering.render_markdown`.
    """
    return _rendered_inline(text, pictures_shown(text, pictures), get_language())


@lru_cache(maxsize=2048)
def _rendered_inline(
    text: str, pictures: tuple[tuple[str, Picture], ...], _language: str | None
) -> SafeString:
    tokens = parse_inline(text)
    for token in tokens:
        prepare_inline(token, 1, dict(pictures), Marker(()))
    return mark_safe(sanitise(render_tokens(tokens)))


def pictures_shown(text: str, pictures: Pictures) -> tuple[tuple[str, Picture], ...]:
    """Return the pictures that this text shows, as part of a cache's key."""
    names = images_in(text) if pictures else ()
    return tuple((name, pictures[name]) for name in names if name in pictures)


def prepare_inline(
    token: Token, line: int, pictures: Pictures, marker: Marker, *, in_heading: bool = False
) -> None:
    """Turn formulas into MathML, resolve links to lessons and mark words, in reading order.

    Raises:
        ContentError: something in the text is wrong; its line says where.
    """
    if token.meta.get("too_long"):
        words = _(
            "a paragraph can have at most %(most)s characters: split this one with an empty line"
        )
        raise ContentError(words % {"most": MAX_PARAGRAPH_LENGTH}, line=line)
    children = token.children or []
    for i, (child, place) in enumerate(with_lines(children, line), 1):
        if child.type == "math_inline":
            html = render_formula(child.content, place)
            child.meta["html"] = keep_with_punctuation(html, children[i:])
        elif child.type == "link_open":
            child.attrs["href"] = _address(str(child.attrs["href"]), place)
        elif child.type == "image":
            child.meta["html"] = render_picture(child, place, pictures)
    token.children = marker.marked(children, plain=in_heading)


def render_formula(latex: str, line: int, *, display: bool = False) -> str:
    """Return the LaTeX, which begins on this line of a text, as MathML."""
    try:
        return convert_to_mathml(latex, display=display)
    except ContentError as error:
        raise error.moved(line - 1) from None


def _address(href: str, line: int) -> str:
    if not href.startswith("lesson:"):
        return href
    slug, hash_sign, section = href.removeprefix("lesson:").partition("#")
    try:
        return reverse("lessons:lesson", args=[slug]) + hash_sign + section
    except NoReverseMatch:
        words = _("“%(slug)s” can’t be a lesson’s address: use letters, digits, - and _")
        raise ContentError(words % {"slug": slug}, line=line) from None
