"""The words of a Markdown text, to be searched and quoted."""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from functools import lru_cache

from markdown_it.token import Token

from lessons.markdown.parsing import parsed

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
    "lambda": "λ",  # whose name in Unicode has no b
}


@lru_cache(maxsize=1024)
def plain_text(text: str) -> str:
    """The text in one line, formulas as near as letters come to them; widgets are left out."""
    return " ".join("".join(_pieces(parsed(text))).split())


def _pieces(tokens: Sequence[Token]) -> Iterator[str]:
    for token in tokens:
        if token.type == "inline":
            yield from _pieces(token.children or [])
        elif token.type in ("text", "code_inline", "code_block"):
            yield token.content
        elif token.type in ("math_inline", "math_block"):
            yield re.sub(r"[\\{}&]", "", _COMMAND.sub(_sign, token.content))
        elif token.type.startswith("container_"):
            yield token.info.strip().partition(" ")[2]
        if token.block or token.type in ("softbreak", "hardbreak"):
            yield " "


def _sign(command: re.Match[str]) -> str:
    name = command["name"]
    if name in _SIGNS:
        return _SIGNS[name]
    size = "CAPITAL" if name[0].isupper() else "SMALL"
    try:
        return unicodedata.lookup(f"GREEK {size} LETTER {name.upper()}")
    except KeyError:
        return ""
