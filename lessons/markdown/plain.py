"""Plain text of Markdown, for searching and quoting."""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import pairwise

from markdown_it.token import Token

from lessons.markdown.parsing import parse_inline, parse_tokens

# Three levels of braces at most; deeper ones stay as they are.
_GROUP = r"\{((?:[^{}]|\{(?:[^{}]|\{[^{}]*\})*\})*)\}"
# Replaced before other commands: names in upright letters, fractions, spaces, and the environments
# of multi-line formulas.
_REWRITTEN = (
    (re.compile(r"\\(?:operatorname|text|mathrm|mathbf)\{([^{}]*)\}"), r"\1"),
    (re.compile(r"\\(?:begin|end)\{[^{}]*\}"), " "),
    (re.compile(rf"\\frac{_GROUP}{_GROUP}"), r"\1 / \2"),
    (re.compile(r"\\[,;:! \\]"), " "),
)
_COMMAND = re.compile(r"\^?\\(?P<name>[a-zA-Z]+)")
_SIGNS = {
    "sqrt": "√",
    "cdot": "·",
    "times": "×",
    "top": "⊤",
    "dots": "…",
    "infty": "∞",
    "sum": "∑",
    "approx": "≈",
    "le": "≤",
    "ge": "≥",
    "in": "∈",
    "to": "→",
    "mapsto": "↦",
    "lVert": "‖",
    "rVert": "‖",
    "partial": "∂",
    "lambda": "λ",  # its name in Unicode has no b
}


@lru_cache(maxsize=1024)
def plain_text(text: str) -> str:
    """Return the text in one line, with formulas approximated in letters, without widgets."""
    return " ".join("".join(_pieces(parse_tokens(text))).split())


def _pieces(tokens: Sequence[Token]) -> Iterator[str]:
    lists = 0
    for before, token in pairwise([None, *tokens]):
        lists += (token.type == "list_item_open") - (token.type == "list_item_close")
        if token.type == "inline":
            yield from _pieces(token.children or [])
            if lists or (before and before.type == "heading_open"):
                yield _ended(token.content).removeprefix(token.content)
        elif token.type in ("text", "code_inline", "code_block"):
            yield token.content
        elif token.type in ("math_inline", "math_block"):
            yield _formula(token.content)
        elif token.type.startswith("container_"):
            title = token.info.strip().partition(" ")[2]
            yield _ended("".join(_pieces(parse_inline(title))).strip())
        yield from _between_cells(before, token)
        if token.block or token.type in ("softbreak", "hardbreak"):
            yield " "


def _between_cells(before: Token | None, token: Token) -> Iterator[str]:
    if token.type in ("th_open", "td_open") and before and before.type != "tr_open":
        yield "·"
    elif token.type == "tr_close":
        yield "/"


def _formula(latex: str) -> str:
    for pattern, plain in _REWRITTEN:
        latex = pattern.sub(plain, latex)
    return re.sub(r"[\\{}&]", "", _COMMAND.sub(_sign, latex))


def _ended(title: str) -> str:
    """Return a line with a full stop, so that it does not run into the text below it."""
    last = title.rstrip("*_”’)")[-1:]
    return title if not last or last in ".?!:;,…" else f"{title}."


def _sign(command: re.Match[str]) -> str:
    name = command["name"]
    if name in _SIGNS:
        return _SIGNS[name]
    size = "CAPITAL" if name[0].isupper() else "SMALL"
    try:
        return unicodedata.lookup(f"GREEK {size} LETTER {name.upper()}")
    except KeyError:
        return ""
