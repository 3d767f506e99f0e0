"""Checks for broken Markdown: unknown or unclosed ::: blocks, and unclosed formulas.

Markdown treats them as text, so a page would show them as typed. Saving reports them to authors.
"""

from collections.abc import Iterator, Sequence
from operator import itemgetter

from django.utils.translation import gettext as _
from markdown_it import MarkdownIt
from markdown_it.rules_inline import StateInline
from markdown_it.token import Token
from mdit_py_plugins.container import container_plugin

from lessons.errors import ContentError, missing_name_message
from lessons.markdown.parsing import CONTAINERS, line_of, parser, with_lines

Trouble = tuple[int, str]  # its line, and the message for the author


def check_syntax(text: str) -> None:
    """Check that a text has no ::: or $$ that readers would see.

    Raises:
        ContentError: with the line of the first such sign.
    """
    tokens = _markdown.parse(text)
    found = [*_of_blocks(tokens, end=len(text.splitlines())), *_of_formulas(tokens)]
    for line, words in sorted(found, key=itemgetter(0)):
        raise ContentError(words, line=line)


def _of_blocks(tokens: Sequence[Token], end: int) -> Iterator[Trouble]:
    around: list[Token] = []
    for token in tokens:
        if not token.type.startswith("container_"):
            continue
        if token.nesting < 0:
            around.pop()
        else:
            yield from _of_block(token, around[-1] if around else None, end)
            around.append(token)


def _of_block(block: Token, outer: Token | None, end: int) -> Iterator[Trouble]:
    name = block.info.strip().partition(" ")[0]
    if not name:
        message = _(
            "::: ends a block, but none is open here: remove this line, or begin the block"
            " above it with ::: unfold Title"
        )
        yield line_of(block), message
    elif name not in CONTAINERS:
        message = _("there’s no ::: block “%(name)s”; the blocks are: %(names)s")
        yield (
            line_of(block),
            missing_name_message(message, name, CONTAINERS, names=", ".join(CONTAINERS)),
        )
    elif block.map and block.map[1] < (outer.map[1] if outer and outer.map else end):
        return  # it is closed within the block around it
    elif outer and len(outer.markup) <= len(block.markup):
        # The line that should have closed this block has closed the outer one.
        message = _(
            "the block that begins with %(fence)s is still open where another "
            "begins on line %(line)s: close it before that with a line of "
            "%(fence)s; or, if the other belongs inside it, begin and end this "
            "one with %(longer)s"
        )
        names = {"fence": outer.markup, "line": line_of(block), "longer": f"{block.markup}:"}
        yield line_of(outer), message % names
    else:
        message = _("the block that begins with %(fence)s isn’t closed by a line of %(fence)s")
        yield line_of(block), message % {"fence": block.markup}


def _of_formulas(tokens: Sequence[Token]) -> Iterator[Trouble]:
    for token in tokens:
        pieces = with_lines(token.children or [], line_of(token))
        lines = [line for piece, line in pieces if piece.type == "dollars"]
        if len(lines) % 2:
            message = _(
                "the formula that begins with $$ isn’t closed by $$ before the next empty"
                " line: close it, and leave no empty lines inside it; to show dollar signs, write"
                " \\$\\$"
            )
            yield lines[0], message
        elif lines:
            message = _(
                "$$ doesn’t begin a formula here: leave an empty line above it, and write"
                " nothing before it or after the $$ that ends it; within a line, write $x$"
            )
            yield lines[0], message


def _dollars(state: StateInline, silent: bool) -> bool:
    """Match two dollars that the rules of formulas have left."""
    if not state.src.startswith("$$", state.pos):
        return False
    if not silent:
        state.push("dollars", "", 0)
    state.pos += 2
    return True


def _strict_parser() -> MarkdownIt:
    """Return a parser for which every ::: begins a block, and $$ in a line is not text."""
    markdown = parser()
    markdown.use(container_plugin, "other", validate=lambda _params, _markup: True)
    markdown.inline.ruler.after("math_inline", "dollars", _dollars)
    return markdown


_markdown = _strict_parser()
