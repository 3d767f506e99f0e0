"""The Markdown parser and renderer, with their additions to CommonMark."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence

from django.utils.html import escape
from django.utils.translation import gettext as _
from markdown_it import MarkdownIt
from markdown_it.rules_core import StateCore
from markdown_it.rules_inline import StateInline, autolink, backtick
from markdown_it.token import Token
from mdit_py_plugins.container import container_plugin
from mdit_py_plugins.dollarmath import dollarmath_plugin
from mdit_py_plugins.dollarmath.index import math_inline_dollar

from lessons.markdown.mathml import split_at_signs
from lessons.markdown.pictures import IMAGE

CONTAINERS = ("unfold", "predict", "choose", "aside")
_CHOICE = re.compile(r"\[(?P<mark>[ x])\] +")
_PUNCTUATION = re.compile(r"[.,;:!?)’”]+")
# Tokens without letters that may stand between a formula or a word and its full stop.
_PASSED = ("text", "strong_close", "em_close")
# A formula whose LaTeX is longer than this may be wider than a phone: its region takes the focus,
# so that it can be scrolled by keyboard too.
_LONG_FORMULA = 40
# The same for a line of code that is longer than this.
_LONG_LINE = 30
# Markdown's rules for quotation marks and links look back and forth over a whole paragraph, so
# that their time grows with the square of its length. A longer paragraph stays text.
MAX_PARAGRAPH_LENGTH = 5_000


def parse_tokens(text: str) -> list[Token]:
    """Return the tokens of the Markdown, before anything is checked or drawn."""
    return _markdown.parse(text)


def blocks_of(text: str) -> list[Token]:
    """Return the block tokens with their lines; inline text is not parsed."""
    tokens: list[Token] = []
    _markdown.block.parse(text, _markdown, {}, tokens)
    return tokens


def parse_inline(text: str) -> list[Token]:
    """Return the tokens of one line of Markdown."""
    return _markdown.parseInline(text)


def render_tokens(tokens: Sequence[Token]) -> str:
    """Return the tokens as HTML, neither checked nor sanitised."""
    return _markdown.renderer.render(tokens, _markdown.options, {})


def fences_in(text: str) -> tuple[tuple[str, str], ...]:
    """Return the name and content of each fenced block, within ::: blocks too."""
    return tuple((token.info.strip(), token.content) for token in _fences(text))


def without_fences(text: str) -> str:
    """Return the text without its fenced blocks."""
    lines = text.split("\n")
    for token in _fences(text):
        start, end = token.map or (0, 0)
        lines[start:end] = [""] * (end - start)
    return "\n".join(lines)


def pieces_of(text: str) -> Iterator[tuple[str | None, str]]:
    """Yield the text in order: each fenced block with its name, and the text between with None."""
    lines, last = text.split("\n"), 0
    for token in _fences(text):
        start, end = token.map or (0, 0)
        yield None, "\n".join(lines[last:start])
        yield token.info.strip(), token.content
        last = end
    yield None, "\n".join(lines[last:])


def _fences(text: str) -> list[Token]:
    return [token for token in parse_tokens(text) if token.type == "fence"]


def images_in(*texts: str) -> list[str]:
    """Return the names of the images that these texts show, each once, in order."""
    return list(dict.fromkeys(name for text in texts if IMAGE in text for name in _images(text)))


def _images(text: str) -> tuple[str, ...]:
    sources = (str(t.attrs["src"]) for t, _ in inline_tokens(text) if t.type == "image")
    return tuple(s.removeprefix(IMAGE) for s in sources if s.startswith(IMAGE))


def inline_tokens(text: str) -> Iterator[tuple[Token, int]]:
    """Yield every piece of inline text, titles of ::: blocks included, with its line."""
    for token in parse_tokens(text):
        line = line_of(token)
        if token.type == "inline":
            yield from with_lines(token.children or [], line)
        elif token.type.startswith("container_") and token.nesting > 0:
            for title in parse_inline(token.info.strip().partition(" ")[2]):
                yield from with_lines(title.children or [], line)


def line_of(token: Token) -> int:
    """Return the line of the text on which the block begins."""
    return token.map[0] + 1 if token.map else 1


def with_lines(children: Iterable[Token], line: int) -> Iterator[tuple[Token, int]]:
    """Yield the pieces of one block, each with its line; the block begins on `line`."""
    for child in children:
        yield child, line
        line += child.type in ("softbreak", "hardbreak")
        line += child.content.count("\n")


def keep_with_punctuation(html: str, followers: Sequence[Token]) -> str:
    """Return a formula or a word with the punctuation after it, which must not begin a line.

    The punctuation may stand after the end of bold or italic text.
    """
    there = (token for token in followers if token.content or token.type not in _PASSED)
    following = next(there, None)
    mark = _PUNCTUATION.match(following.content) if following and following.type == "text" else None
    if not mark:
        return html
    following.content = following.content[mark.end() :]
    return f'<span class="kept">{html}{mark[0]}</span>'


# Render rules, and the parser ------------------------------------------------------------------


def _render_made(_renderer, tokens, index, _options, _env) -> str:
    return tokens[index].meta["html"]


def _render_math_block(_renderer, tokens, index, _options, _env) -> str:
    token = tokens[index]
    return display_formula(token.meta["html"], token.content.strip()) + "\n"


def display_formula(mathml: str, latex: str) -> str:
    """Return a displayed formula that breaks before its signs where it is wider than the page.

    It is in a region that scrolls if a part of it is wider still.
    """
    parts = split_at_signs(mathml)
    longest = len(latex) * max(map(len, parts)) / len(mathml)
    scrolls = _scrolls(_("Formula")) if longest > _LONG_FORMULA else ""
    if len(parts) > 1:
        mathml = "<wbr>".join(f'<math displaystyle="true">{part}</math>' for part in parts)
    return f'<div class="formula"{scrolls}>{mathml}</div>'


def _scrolls(name: str) -> str:
    """Return attributes that make a scrolling region usable by keyboard."""
    return f' tabindex="0" role="group" aria-label="{escape(name)}"'


def _render_word(_renderer, tokens, index, _options, _env) -> str:
    token = tokens[index]
    target = escape(token.meta["html_id"])
    shown = escape(token.content)
    word = f'<button type="button" class="word" popovertarget="{target}">{shown}</button>'
    return keep_with_punctuation(word, tokens[index + 1 :])


def _render_fence(_renderer, tokens, index, _options, _env) -> str:
    code = tokens[index].content
    longest = max(map(len, code.splitlines()), default=0)
    scrolls = _scrolls(_("Code")) if longest > _LONG_LINE else ""
    return f"<pre{scrolls}><code>{escape(code)}</code></pre>\n"


def _render_table_open(_renderer, _tokens, _index, _options, _env) -> str:
    return f'<div class="table-scroll"{_scrolls(_("Table"))}><table>\n'


def _render_table_close(_renderer, _tokens, _index, _options, _env) -> str:
    return "</table></div>\n"


_dollars = math_inline_dollar(allow_space=False, allow_digits=False)


def _math_inline(state: StateInline, silent: bool) -> bool:
    """Apply the plugin's rule without its look-behind at the start of a text.

    The rule looks one character back for a digit or a backslash. Before the first character that is
    Python's index -1, the text's last one: “$x$ is 3” would be no formula. So a text that begins
    with a dollar gets a trailing space while the rule looks.
    """
    if state.pos:
        return _dollars(state, silent)
    text, state.src = state.src, f"{state.src} "
    try:
        return _dollars(state, silent)
    finally:
        state.src = text


def _placed(rule: Callable[[StateInline, bool], bool]) -> Callable[[StateInline, bool], bool]:
    """Return the rule, noting in the token it makes the span of running text that it covers."""

    def placed(state: StateInline, silent: bool) -> bool:
        start, before = state.pos, len(state.tokens)
        found = rule(state, silent)
        if found and len(state.tokens) > before:
            state.tokens[-1].meta["span"] = (start, state.pos)
        return found

    return placed


def _inline(state: StateCore) -> None:
    """Parse inline text, except for paragraphs that are too long."""
    for token in state.tokens:
        if token.type != "inline":
            continue
        token.children = []
        if len(token.content) > MAX_PARAGRAPH_LENGTH:
            token.children.append(Token("text", "", 0, content=token.content))
            token.content, token.meta = "", {"too_long": True}  # and no rule after this looks at it
        else:
            state.md.inline.parse(token.content, state.md, state.env, token.children)


def _choices(state: StateCore) -> None:
    """Take [ ] and [x] off the choices of a ::: choose block, and note which is right.

    A choice is the first paragraph of an item of the block's list.
    """
    level = -1  # of the items; -1 outside of such a block
    three = zip(state.tokens, state.tokens[1:], state.tokens[2:], strict=False)
    for token, _opening, text in three:
        if token.type == "container_choose_open":
            level = token.level + 2
        elif token.type == "container_choose_close":
            level = -1
        elif token.type == "list_item_open" and token.level == level and text.type == "inline":
            text.meta["is_choice"] = True  # it is a button itself, so it contains none
            if mark := _CHOICE.match(text.content):
                token.meta["is_right"] = mark["mark"] == "x"
                text.content = text.content[mark.end() :]


def parser() -> MarkdownIt:
    """Return a new parser for the Markdown of lessons."""
    markdown = MarkdownIt("commonmark", {"html": False, "typographer": True})
    markdown.enable(["table", "strikethrough", "smartquotes"])
    markdown.use(
        dollarmath_plugin,
        allow_labels=False,
        allow_space=False,
        allow_digits=False,
        allow_blank_lines=False,
    )
    markdown.core.ruler.before("inline", "choices", _choices)
    markdown.core.ruler.at("inline", _inline)
    # So that editing.py can distinguish code, formulas and URLs from the text around them.
    markdown.inline.ruler.at("math_inline", _placed(_math_inline))
    markdown.inline.ruler.at("backticks", _placed(backtick))
    markdown.inline.ruler.at("autolink", _placed(autolink))
    for name in CONTAINERS:
        markdown.use(container_plugin, name)
    markdown.add_render_rule("math_inline", _render_made)
    markdown.add_render_rule("image", _render_made)
    markdown.add_render_rule("math_block", _render_math_block)
    markdown.add_render_rule("word", _render_word)
    markdown.add_render_rule("fence", _render_fence)
    markdown.add_render_rule("table_open", _render_table_open)
    markdown.add_render_rule("table_close", _render_table_close)
    return markdown


_markdown = parser()
