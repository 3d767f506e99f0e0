"""Uploaded images in a text: `![what it shows](image:name "A caption")`.

The caller passes in the images that exist.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from django.utils.html import format_html
from django.utils.translation import gettext as _
from markdown_it.token import Token

from lessons.errors import ContentError

IMAGE = "image:"


@dataclass(frozen=True)
class Picture:
    """An uploaded image in a text. Its size keeps the page from moving when it loads."""

    address: str
    alt: str
    width: int
    height: int


# Pictures by name.
type Pictures = Mapping[str, Picture]
NO_PICTURES: Pictures = {}


def render_picture(token: Token, line: int, pictures: Pictures) -> str:
    """Return an image as HTML, or its words if it is not among the pictures.

    Raises:
        ContentError: it is not an uploaded image.
    """
    source = str(token.attrs["src"])
    if not source.startswith(IMAGE):
        words = _("upload images first, then show them with ![what it shows](image:name)")
        raise ContentError(words, line=line)
    picture = pictures.get(source.removeprefix(IMAGE))
    if picture is None:
        shown = format_html('<span class="missing-image">{}</span>', token.content)
    else:
        shown = format_html(
            '<img src="{}" alt="{}" width="{}" height="{}" loading="lazy">',
            *(picture.address, token.content or picture.alt, picture.width, picture.height),
        )
    caption = token.attrs.get("title") if token.meta.get("figure") else ""
    return shown + (format_html("<figcaption>{}</figcaption>", caption) if caption else "")


def make_figure(opening: Token, content: Token, closing: Token) -> None:
    """Turn a paragraph that is a single image into a figure, perhaps with a caption."""
    alone = [child.type for child in content.children or []] == ["image"]
    if alone and opening.type == "paragraph_open" and not opening.hidden:
        opening.tag = closing.tag = "figure"
        content.children[0].meta["figure"] = True
