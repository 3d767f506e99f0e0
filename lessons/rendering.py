"""Rendering of Markdown with maths, words and widgets, to HTML that is safe to show.

The text is CommonMark with tables. Beyond it:

- `$x$` and `$$x$$` hold LaTeX, which becomes MathML;
- a fenced block named for a widget holds that widget's parameters in YAML;
- `::: unfold Title`, `::: predict Question` and `::: aside Title`, closed by `:::`, hold Markdown;
- `::: choose Question` holds a list of choices: `[x] The right one`, `[ ] Another`, and below each,
  after an empty line, the feedback on it; text after the list stays hidden until one is chosen;
- `[text](lesson:slug)` and `[text](lesson:slug#section)` lead to lessons;
- `![what it shows](image:name)` shows an uploaded image, with a caption after its name;
- `[[word]]` marks a word of the lesson's glossary.

HTML in the text is shown as text. An author's mistakes are ContentErrors with their line.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from functools import lru_cache
from typing import Any

from django.template.loader import render_to_string
from django.utils.safestring import SafeString, mark_safe
from django.utils.text import slugify
from django.utils.translation import get_language
from django.utils.translation import gettext as _
from markdown_it.token import Token
from markdown_it.tree import SyntaxTreeNode

from lessons import widgets
from lessons.errors import ContentError
from lessons.markdown.glossary import MarkedWord, Marker
from lessons.markdown.inline import pictures_shown, prepare_inline, render_formula, render_inline
from lessons.markdown.parsing import blocks_of, line_of, parse_tokens, render_tokens
from lessons.markdown.pictures import IMAGE, NO_PICTURES, Picture, Pictures, make_figure
from lessons.markdown.sanitising import sanitise
from lessons.markdown.syntax import check_syntax

LANGUAGES = ("", "text", "python", "json", "yaml", "latex", "markdown")
MAX_TEXT_LENGTH = 200_000
MIN_CHOICES, MAX_CHOICES = 2, 4
# Errors that are told of one text.
MAX_ERRORS = 10
_trusted: ContextVar[bool] = ContextVar("trusted", default=False)
_IMAGE = f"]({IMAGE}"
_ALIGNED = {"text-align:right": "right", "text-align:center": "centre"}


def render_markdown(
    text: str,
    *,
    words: Iterable[MarkedWord] = (),
    automatic: bool = True,
    pictures: Pictures = NO_PICTURES,
) -> SafeString:
    """Return the Markdown as safe HTML, with its [[words]] marked.

    The first occurrence of each of the `words` is marked too, unless `automatic` is false. An image
    that is not among the `pictures` is replaced by its words.

    Raises:
        ContentError: something in the text is wrong; its line says where.
    """
    shown = pictures_shown(text, pictures)
    return _rendered(text, tuple(words), automatic, shown, get_language())


@contextmanager
def trusting_texts() -> Iterator[None]:
    """Skip validation of texts inside: for the texts that ship, which tests have checked."""
    token = _trusted.set(True)
    try:
        yield
    finally:
        _trusted.reset(token)


def check_markdown(text: str) -> None:
    """Check that a text can be shown, and that its page would show it as it was meant.

    Inside `trusting_texts` nothing is checked.

    Raises:
        ContentError: its line says where.
    """
    if _trusted.get():
        return
    if len(text) > MAX_TEXT_LENGTH:
        raise ContentError(
            _("a text can have at most %(most)s characters") % {"most": MAX_TEXT_LENGTH}
        )
    render_markdown(text)
    check_markup(text)


def find_errors(
    text: str, check: Callable[[str], object] = check_markdown
) -> tuple[list[ContentError], str]:
    """Return the errors that `check` finds, the first of each block, and the text without those.

    Lines keep their numbers. If nothing of the text can be checked, it comes back empty.
    """
    lines = text.split("\n")
    found: list[ContentError] = []
    while len(found) < MAX_ERRORS:
        try:
            check("\n".join(lines))
        except ContentError as error:
            found.append(error)
            block = _lines_of_block(lines, error.line or 0)
            if not any(lines[number] for number in block):
                break
            for number in block:
                lines[number] = ""
        else:
            return found, "\n".join(lines)
    return found, ""


def _lines_of_block(lines: Sequence[str], line: int) -> range:
    """Return the indexes of the outermost block's lines at this line, counted from 1."""
    for token in blocks_of("\n".join(lines)):
        start, end = token.map or (0, 0)
        if token.level == 0 and start < line <= end:
            return range(start, end)
    return range(0)


def check_markup(text: str) -> None:
    """Check that a text has no markup that its page would show as typed.

    Raises:
        ContentError: its line says where.
    """
    check_syntax(text)
    for token in parse_tokens(text) if _IMAGE in text else ():
        if token.type == "fence" and token.info.strip() in widgets.names():
            for number, content in enumerate(token.content.splitlines(), 1):
                if _IMAGE in content:
                    message = _(
                        "a widget can’t show images: put the image in the text above or below"
                    )
                    raise ContentError(message, line=line_of(token) + number)


# The same text is shown again and again; rendering it is a pure function of it and the language.
@lru_cache(maxsize=1024)
def _rendered(
    text: str,
    words: tuple[MarkedWord, ...],
    automatic: bool,
    pictures: tuple[tuple[str, Picture], ...],
    _language: str | None,
) -> SafeString:
    tokens = parse_tokens(text)
    known = dict(pictures)
    _prepare(tokens, Marker(words, automatic=automatic), known)
    return mark_safe(_blocks(SyntaxTreeNode(tokens).children, known))  # sanitised block by block


# Blocks -------------------------------------------------------------------------------------


def _blocks(nodes: Sequence[SyntaxTreeNode], pictures: Pictures) -> str:
    return "".join(_block(node, pictures) for node in nodes)


def _block(node: SyntaxTreeNode, pictures: Pictures) -> str:
    if _is_widget(node):
        return _widget(node)
    if _is_container(node):
        return _container(node, pictures)
    for inner in node.walk(include_self=False):
        if _is_widget(inner) or _is_container(inner):
            raise ContentError(
                _("a widget or ::: block must be on its own, not inside a list or quotation"),
                line=_line(inner),
            )
    return sanitise(render_tokens(node.to_tokens()))


def _widget(node: SyntaxTreeNode) -> str:
    try:
        return widgets.widget(node.info.strip()).render(node.content)
    except ContentError as error:
        # The error's lines count from the one below the fence; without a line it is about the whole
        # block.
        line = _line(node) + (error.line or 0)
        raise ContentError(error.message, line=line, column=error.column) from None


def _container(node: SyntaxTreeNode, pictures: Pictures) -> str:
    kind, _space, title = node.info.strip().partition(" ")
    if not title.strip():
        words = _("a ::: %(kind)s block needs a title on its first line")
        raise ContentError(words % {"kind": kind}, line=_line(node))
    try:
        heading = render_inline(title.strip(), pictures=pictures)
    except ContentError as error:
        raise error.moved(_line(node) - 1) from None
    context: dict[str, Any] = {"title": heading}
    if kind == "choose":
        context["choices"] = _choices(node, pictures)
        context["answer"] = mark_safe(_blocks(node.children[1:], pictures))  # sanitised likewise
        # By this name a browser keeps one choice open, as if they were radio buttons.
        context["group"] = slugify(title)
    else:
        context["body"] = mark_safe(_blocks(node.children, pictures))  # sanitised block by block
    return render_to_string(f"lessons/blocks/{kind}.html", context)


def _choices(node: SyntaxTreeNode, pictures: Pictures) -> list[dict[str, Any]]:
    """Return the choices of a block, each with its feedback."""
    first, *others = node.children or [None]
    items = first.children if first and first.type == "bullet_list" else []
    # Feedback without indentation cuts the list of choices in two.
    parted = any("is_right" in item.meta for other in others for item in other.children)
    if parted or not MIN_CHOICES <= len(items) <= MAX_CHOICES:
        message = _(
            "a ::: choose block must begin with one list of %(fewest)s to %(most)s choices, with"
            " the feedback on each indented below it"
        )
        most = {"fewest": MIN_CHOICES, "most": MAX_CHOICES}
        raise ContentError(message % most, line=_line(node))
    for item in items:
        if "is_right" not in item.meta:
            message = _(
                "a choice must begin with [x] if it’s right, or [ ] if not, followed by its text"
            )
            raise ContentError(message, line=_line(item))
        if len(item.children) < 2:
            message = _("feedback on a choice goes below it, after an empty line")
            raise ContentError(message, line=_line(item))
    if sum(item.meta["is_right"] for item in items) != 1:
        raise ContentError(
            _("exactly one choice must be right and begin with [x]"), line=_line(node)
        )
    return [
        {
            "is_right": item.meta["is_right"],
            # Sanitised here, and block by block.
            "text": mark_safe(sanitise(render_tokens(item.children[0].children[0].to_tokens()))),
            "answer": mark_safe(_blocks(item.children[1:], pictures)),
        }
        for item in items
    ]


def _is_widget(node: SyntaxTreeNode) -> bool:
    return node.type == "fence" and node.info.strip() in widgets.names()


def _is_container(node: SyntaxTreeNode) -> bool:
    return node.type.startswith("container_")


def _line(node: SyntaxTreeNode) -> int:
    return node.map[0] + 1 if node.map else 1


# Tokens: checks, formulas, cells, words -------------------------------------------------------


def _prepare(tokens: Sequence[Token], marker: Marker, pictures: Pictures) -> None:
    """Turn formulas into MathML and mark words in reading order. Raise ContentError if needed."""
    in_heading = names_rows = False
    for i, token in enumerate(tokens):
        line = line_of(token)
        if token.type == "heading_open":
            in_heading = True
            if token.tag in ("h1", "h2"):
                raise ContentError(_("headings inside a text must start with ###"), line=line)
        elif token.type == "heading_close":
            in_heading = False
        elif token.type == "fence":
            _check_fence(token, line)
        elif token.type == "math_block":
            token.meta["html"] = render_formula(token.content, line, display=True)
        elif token.type in ("th_open", "td_open"):
            begins_row = tokens[i - 1].type == "tr_open"
            if begins_row and token.type == "th_open":
                names_rows = not tokens[i + 1].content
            if begins_row and token.type == "td_open" and names_rows:
                token.tag = tokens[i + 2].tag = "th"
                token.attrSet("scope", "row")
            _prepare_cell(*tokens[i : i + 3])
        elif token.type == "inline":
            if 0 < i < len(tokens) - 1:
                make_figure(*tokens[i - 1 : i + 2])
            plain = in_heading or "is_choice" in token.meta
            prepare_inline(token, line, pictures, marker, in_heading=plain)


def _check_fence(token: Token, line: int) -> None:
    name = token.info.strip()
    if name not in LANGUAGES and name not in widgets.names():
        message = _("there’s no widget “%(name)s”; the widgets are: %(names)s")
        names = ", ".join(widgets.names())
        raise ContentError(message % {"name": name, "names": names}, line=line)
    # An unclosed block would swallow all later sections when the lesson is exported.
    if token.map and not _is_closed(token.content, *token.map):
        message = _("the block that begins with %(fence)s isn’t closed by a line of %(fence)s")
        raise ContentError(message % {"fence": token.markup}, line=line)


def _is_closed(content: str, start: int, end: int) -> bool:
    """Return whether a fenced block from `start` to `end` has a closing line after its content."""
    lines = content.removesuffix("\n").count("\n") + 1 if content else 0
    return end - start == lines + 2


def _prepare_cell(opening: Token, content: Token, closing: Token) -> None:
    if not content.content.strip():
        # An empty corner is no heading.
        opening.tag = closing.tag = "td"
    if "style" in opening.attrs:
        # A strict CSP refuses the style attribute that aligns cells in Markdown's tables.
        opening.attrs = {"class": _ALIGNED.get(str(opening.attrs["style"]), "")}
