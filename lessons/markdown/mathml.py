"""LaTeX to MathML without `style` attributes, which a strict CSP would refuse."""

import re
from html import unescape

from django.utils.translation import gettext as _
from math_core import LatexError, LatexToMathML

from lessons.errors import ContentError

_converter = LatexToMathML(fancy_error=False)

# Each inline declaration that math-core may write, and its class in maths.css.
_CLASSES = {
    "text-align:right": "m-right",
    "text-align:left": "m-left",
    "justify-items:end": "",
    "justify-items:start": "",
    "padding-left:0": "m-flush-left",
    "padding-right:0": "m-flush-right",
    "padding-left:1em": "m-gap-left",
    "margin-left:-0.16666667em": "m-closer",
    "border-top:0.05em solid currentcolor": "m-line-above",
    "border-bottom:0.05em solid currentcolor": "m-line-below",
    "border-left:0.05em solid currentcolor": "m-line-left",
    "border-right:0.05em solid currentcolor": "m-line-right",
}
MATHML_CLASSES = frozenset(_CLASSES.values()) - {""}

# The converter is recursive, so thousands of nested levels would crash the process; and it tries
# each unclosed bracket twice.
MAX_LENGTH, MAX_DEPTH = 8_000, 12
_BRACKET = r"(?:ang|brac|vert|floor|ceil|paren|group|moust|corner|bag)\w*"  # \langle, \llbracket …
_NESTED = re.compile(
    rf"(?P<opens>\\(?:left|begin)(?![a-z])|\\u?l+{_BRACKET}|[(\[{{⌈⌊⌜⌞⎰❲⟅⟦⟨⟪⟬⟮⦃⦅⦇⦉⦋⦍⦏⦑⦓⦕⦗⧘⧚⧼])"
    rf"|\\(?:right|end)(?![a-z])|\\u?r+{_BRACKET}|[)\]}}⌉⌋⌝⌟⎱❳⟆⟧⟩⟫⟭⟯⦄⦆⦈⦊⦌⦎⦐⦒⦔⦖⦘⧙⧛⧽]",
    re.IGNORECASE,
)


def convert_to_mathml(latex: str, *, display: bool = False) -> str:
    """Return the formula as MathML.

    Raises:
        ContentError: the LaTeX is wrong, or uses what lessons do not support; its line counts
            from the first line of the formula.
    """
    _must_be_shallow(latex)
    try:
        html = _converter.convert_with_local_state(latex, displaystyle=display)
    except LatexError as error:
        offset, _colon, message = str(error).partition(": ")
        # The converter counts bytes.
        before = latex.encode()[: int(offset)] if offset.isdigit() else b""
        message = message[:1].lower() + message[1:].rstrip(".")
        words = _("the formula “%(formula)s”: %(message)s")
        raise ContentError(
            words % {"formula": latex.strip(), "message": message}, line=before.count(b"\n") + 1
        ) from None
    return re.sub(r' style="([^"]*)"', lambda style: _as_classes(style[1], latex), html)


# The signs before which a displayed formula may continue on a new line.
_BREAKS = frozenset("=≈≤≥<>≠∝→≡+−")
_OPENING, _CLOSING = ("(", "[", "{", "⟨"), (")", "]", "}", "⟩")
_TAG_OR_SIGN = re.compile(
    r'(?P<gap><mspace width="[12]em"/?>(?:</mspace>)?)'
    r"|<mo(?P<attributes>[^>]*)>(?P<sign>[^<]*)</mo>|<(?P<closes>/?)[^>]*?(?P<empty>/?)>"
)


def split_at_signs(mathml: str) -> list[str]:
    """Return a displayed formula cut before its outermost relations, sums and wide gaps.

    >>> split_at_signs('<math display="block"><mi>a</mi><mo>=</mo><mn>1</mn></math>')
    ['<mi>a</mi>', '<mo form="infix">=</mo><mn>1</mn>']
    """
    inside = mathml[mathml.index(">") + 1 : mathml.rindex("<")]
    parts, start, depth, brackets = [], 0, 0, 0
    for found in _TAG_OR_SIGN.finditer(inside):
        if found["sign"] is None and not found["gap"]:
            depth += 0 if found["empty"] else -1 if found["closes"] else 1
            continue
        attributes, sign = found["attributes"] or "", found["sign"] or ""
        if "size=" not in attributes:  # large brackets may be split
            brackets += (sign in _OPENING) - (sign in _CLOSING)
        # The sign of a number has no space around it.
        is_between = unescape(sign) in _BREAKS and 'lspace="0"' not in attributes
        breaks = found["gap"] or is_between or sign == "/"
        if breaks and not depth and not brackets and found.start() > start:
            parts.append(inside[start : found.start()])
            start = found.start()
    first, *others = [*parts, inside[start:]]
    return [first, *(re.sub("^<mo>", '<mo form="infix">', part) for part in others)]


def _must_be_shallow(latex: str) -> None:
    if len(latex) > MAX_LENGTH:
        raise ContentError(
            _("a formula can have at most %(most)s characters") % {"most": MAX_LENGTH}, line=1
        )
    depth = 0
    for sign in _NESTED.finditer(latex):
        depth = depth + 1 if sign["opens"] else max(depth - 1, 0)
        if depth > MAX_DEPTH:
            words = _("a formula can have at most %(most)s nested brackets")
            line = latex.count("\n", 0, sign.start()) + 1
            raise ContentError(words % {"most": MAX_DEPTH}, line=line)


def _as_classes(style: str, latex: str) -> str:
    names = []
    for declaration in filter(None, (part.strip() for part in style.split(";"))):
        name, _colon, value = declaration.partition(":")
        key = f"{name.strip()}:{value.strip()}"
        if key not in _CLASSES:
            words = _(
                "the formula “%(formula)s” uses a style (%(style)s) that lessons don’t support"
            )
            raise ContentError(words % {"formula": latex.strip(), "style": key}, line=1)
        names.append(_CLASSES[key])
    return f' class="{" ".join(filter(None, names))}"' if any(names) else ""
