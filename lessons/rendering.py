"""Markdown with maths, words and widgets, to HTML that is safe to show.

The text is CommonMark with tables. Beyond it:

- `$x$` and `$$x$$` hold LaTeX, which becomes MathML;
- a fenced block named for a widget holds that widget's parameters in YAML;
- `::: unfold Title`, `::: predict Question` and `::: aside Title`, closed by `:::`, hold Markdown;
- `[text](lesson:slug)` and `[text](lesson:slug#section)` lead to lessons.

HTML in the text is shown, never obeyed. Whatever an author got wrong is an AuthorError with the
line where it stands.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import zip_longest

from django.template.loader import render_to_string
from django.urls import NoReverseMatch, reverse
from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe
from markdown_it import MarkdownIt
from markdown_it.token import Token
from markdown_it.tree import SyntaxTreeNode
from mdit_py_plugins.container import container_plugin
from mdit_py_plugins.dollarmath import dollarmath_plugin

from lessons import widgets
from lessons.errors import AuthorError
from lessons.mathml import mathml
from lessons.sanitising import sanitise

CONTAINERS = ("unfold", "predict", "aside")
LANGUAGES = ("", "text", "python", "json", "yaml", "latex", "markdown")
_ALIGNED = {"text-align:right": "right", "text-align:center": "centre"}
_PUNCTUATION = re.compile(r"[.,;:!?)’”]+")
# A formula whose LaTeX is longer than this may be wider than a phone: its region takes the focus,
# so that it can be scrolled by keyboard too.
_LONG_FORMULA = 40


@dataclass(frozen=True)
class MarkedWord:
    """A word of the glossary: the forms that are marked in a text, and its explanation's id."""

    forms: tuple[str, ...]
    html_id: str


def render_markdown(text: str, *, words: Iterable[MarkedWord] = ()) -> SafeString:
    """The Markdown as safe HTML; the first occurrence of each of the words is marked.

    Raises:
        AuthorError: something in the text is wrong; its line says where.
    """
    return _rendered(text, tuple(words))


def render_inline(text: str) -> SafeString:
    """One line of Markdown, maths included, as safe HTML without a paragraph around it.

    Raises:
        AuthorError: as for `render_markdown`.
    """
    return _rendered_inline(text)


def check_markdown(text: str) -> None:
    """Raise the AuthorError that rendering this text would raise, if any."""
    render_markdown(text)


# The same text is shown again and again; rendering it is a pure function of it.
@lru_cache(maxsize=512)
def _rendered(text: str, words: tuple[MarkedWord, ...]) -> SafeString:
    tokens = _markdown.parse(text)
    _prepare(tokens, words)
    return mark_safe(_blocks(SyntaxTreeNode(tokens).children))  # sanitised block by block


@lru_cache(maxsize=2048)
def _rendered_inline(text: str) -> SafeString:
    tokens = _markdown.parseInline(text)
    _prepare(tokens, ())
    return mark_safe(sanitise(_html(tokens)))


# Blocks -------------------------------------------------------------------------------------


def _blocks(nodes: Sequence[SyntaxTreeNode]) -> str:
    return "".join(_block(node) for node in nodes)


def _block(node: SyntaxTreeNode) -> str:
    if _is_widget(node):
        return _widget(node)
    if _is_container(node):
        return _container(node)
    for inner in node.walk(include_self=False):
        if _is_widget(inner) or _is_container(inner):
            raise AuthorError(
                "a widget or a ::: block must stand by itself, not inside a list or a quotation",
                line=_line(inner),
            )
    return sanitise(_html(node.to_tokens()))


def _widget(node: SyntaxTreeNode) -> str:
    try:
        return widgets.render(node.info.strip(), node.content)
    except AuthorError as error:
        # Its lines count from the one below the fence; without one it is about the whole block.
        raise AuthorError(error.message, line=_line(node) + (error.line or 0)) from None


def _container(node: SyntaxTreeNode) -> str:
    kind, _, title = node.info.strip().partition(" ")
    if not title.strip():
        raise AuthorError(f"a ::: {kind} block needs a title on its first line", line=_line(node))
    try:
        heading = render_inline(title.strip())
    except AuthorError as error:
        raise error.moved(_line(node) - 1) from None
    body = mark_safe(_blocks(node.children))  # sanitised block by block
    return render_to_string(f"lessons/blocks/{kind}.html", {"title": heading, "body": body})


def _is_widget(node: SyntaxTreeNode) -> bool:
    return node.type == "fence" and node.info.strip() in widgets.names()


def _is_container(node: SyntaxTreeNode) -> bool:
    return node.type.startswith("container_")


def _line(node: SyntaxTreeNode) -> int:
    return node.map[0] + 1 if node.map else 1


def _html(tokens: Sequence[Token]) -> str:
    return _markdown.renderer.render(tokens, _markdown.options, {})


# Tokens: checks, formulas, links, words -------------------------------------------------------


def _prepare(tokens: Sequence[Token], words: Sequence[MarkedWord]) -> None:
    """Turn formulas into MathML and mark words, in reading order; raise for what is wrong."""
    marker = _Marker(words)
    in_heading = False
    for i, token in enumerate(tokens):
        line = token.map[0] + 1 if token.map else 1
        if token.type == "heading_open":
            in_heading = True
            if token.tag in ("h1", "h2"):
                raise AuthorError("headings inside a text start with ###", line=line)
        elif token.type == "heading_close":
            in_heading = False
        elif token.type == "fence":
            _check_fence(token, line)
        elif token.type == "math_block":
            token.meta["html"] = _formula(token.content, line, display=True)
        elif token.type in ("th_open", "td_open"):
            _prepare_cell(*tokens[i : i + 3])
        elif token.type == "inline":
            _prepare_inline(token.children or [], line)
            if not in_heading:
                token.children = marker.marked(token.children or [])


def _check_fence(token: Token, line: int) -> None:
    name = token.info.strip()
    if name not in LANGUAGES and name not in widgets.names():
        raise AuthorError(
            f"there is no widget “{name}”; there are: {', '.join(widgets.names())}", line=line
        )


def _prepare_cell(opening: Token, content: Token, closing: Token) -> None:
    if not content.content.strip():
        # An empty corner is no heading.
        opening.tag = closing.tag = "td"
    if "style" in opening.attrs:
        # A strict CSP refuses the attribute by which Markdown's tables align.
        opening.attrs = {"class": _ALIGNED.get(str(opening.attrs["style"]), "")}


def _prepare_inline(children: Sequence[Token], line: int) -> None:
    for child, following in zip_longest(children, children[1:]):
        if child.type == "math_inline":
            formula = _formula(child.content, line)
            child.meta["html"] = _kept_with_punctuation(formula, following)
        elif child.type == "link_open":
            child.attrs["href"] = _address(str(child.attrs["href"]), line)
        elif child.type in ("softbreak", "hardbreak"):
            line += 1
        line += child.content.count("\n")


def _kept_with_punctuation(html: str, following: Token | None) -> str:
    """A formula or a word with the full stop after it, say, which must not begin a line."""
    mark = _PUNCTUATION.match(following.content) if following and following.type == "text" else None
    if not mark:
        return html
    following.content = following.content[mark.end() :]
    return f'<span class="kept">{html}{mark[0]}</span>'


def _formula(latex: str, line: int, *, display: bool = False) -> str:
    try:
        return mathml(latex, display=display)
    except AuthorError as error:
        raise error.moved(line - 1) from None


def _address(href: str, line: int) -> str:
    if not href.startswith("lesson:"):
        return href
    slug, hash_sign, section = href.removeprefix("lesson:").partition("#")
    try:
        return reverse("lessons:lesson", args=[slug]) + hash_sign + section
    except NoReverseMatch:
        raise AuthorError(f"“{slug}” cannot be a lesson's address", line=line) from None


class _Marker:
    """Marks the first occurrence of each word in the text it is led through."""

    def __init__(self, words: Sequence[MarkedWord]):
        self._waiting = {form.lower(): word for word in words for form in word.forms}
        longest_first = sorted(self._waiting, key=len, reverse=True)
        forms = "|".join(re.escape(form) for form in longest_first)
        self._pattern = re.compile(rf"(?<!\w)(?:{forms})(?!\w)", re.IGNORECASE)

    def marked(self, children: Sequence[Token]) -> list[Token]:
        result, links = [], 0
        for child in children:
            links += (child.type == "link_open") - (child.type == "link_close")
            if child.type == "text" and self._waiting and not links:
                result += self._split(child)
            else:
                result.append(child)
        return result

    def _split(self, text: Token) -> list[Token]:
        pieces, end = [], 0
        for match in self._pattern.finditer(text.content):
            word = self._waiting.get(match[0].lower())
            if word is None:
                continue
            self._waiting = {form: w for form, w in self._waiting.items() if w is not word}
            pieces += [
                _text(text.content[end : match.start()]),
                Token("word", "", 0, content=match[0], meta={"html_id": word.html_id}),
            ]
            end = match.end()
        return [*pieces, _text(text.content[end:])]


def _text(content: str) -> Token:
    return Token("text", "", 0, content=content)


# The parser and its render rules --------------------------------------------------------------


def _render_math_inline(_renderer, tokens, index, _options, _env) -> str:
    return tokens[index].meta["html"]


def _render_math_block(_renderer, tokens, index, _options, _env) -> str:
    token = tokens[index]
    focusable = len(token.content.strip()) > _LONG_FORMULA
    scrolls = ' tabindex="0" role="group" aria-label="Formula"' if focusable else ""
    return f'<div class="formula"{scrolls}>{token.meta["html"]}</div>\n'


def _render_word(_renderer, tokens, index, _options, _env) -> str:
    token = tokens[index]
    target = escape(token.meta["html_id"])
    shown = escape(token.content)
    word = f'<button type="button" class="word" popovertarget="{target}">{shown}</button>'
    return _kept_with_punctuation(word, tokens[index + 1] if index + 1 < len(tokens) else None)


def _render_table_open(_renderer, _tokens, _index, _options, _env) -> str:
    return '<div class="table-scroll" tabindex="0" role="group" aria-label="Table"><table>\n'


def _render_table_close(_renderer, _tokens, _index, _options, _env) -> str:
    return "</table></div>\n"


def _parser() -> MarkdownIt:
    markdown = MarkdownIt("commonmark", {"html": False, "typographer": True})
    markdown.enable(["table", "strikethrough", "smartquotes"])
    # Lessons have no pictures of their own: figures are widgets, in numbers.
    markdown.disable("image")
    markdown.use(
        dollarmath_plugin,
        allow_labels=False,
        allow_space=False,
        allow_digits=False,
        allow_blank_lines=False,
    )
    for name in CONTAINERS:
        markdown.use(container_plugin, name)
    markdown.add_render_rule("math_inline", _render_math_inline)
    markdown.add_render_rule("math_block", _render_math_block)
    markdown.add_render_rule("word", _render_word)
    markdown.add_render_rule("table_open", _render_table_open)
    markdown.add_render_rule("table_close", _render_table_close)
    return markdown


_markdown = _parser()
