"""What a widget is: a function from its parameters to HTML, registered under its name."""

import re
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any
from zlib import crc32

from django.template.loader import render_to_string
from django.utils.safestring import SafeString, mark_safe

from design.matrix import Matrix, decimal_sign
from lessons.markdown.mathml import mathml
from lessons.markdown.parameters import read_parameters

DECIMALS = 3
_POINT = re.compile(r"(?<=\d)\.(?=\d+</mn>)")

type Draw = Callable[[Any], SafeString]

_widgets: dict[str, Draw] = {}


def names() -> list[str]:
    """The names that a fenced block may bear."""
    return sorted(_widgets)


def example(name: str) -> str:
    """The fenced block that the author's menu inserts, with the EXAMPLE of the widget's file."""
    text = getattr(sys.modules[_widgets[name].__module__], "EXAMPLE", "")
    return f"```{name}\n{text.strip()}\n```"


def about(name: str) -> str:
    """What the widget shows, in a line: the ABOUT of its file."""
    return str(sys.modules[_widgets[name].__module__].ABOUT)


def render(name: str, text: str) -> SafeString:
    """The widget with the parameters that the YAML text holds.

    Raises:
        AuthorError: the YAML or a parameter is wrong; its line, if any, counts within the text.
    """
    draw = _widgets[name]
    return draw(read_parameters(draw.__annotations__["given"], text))


def widget(draw: Draw) -> Draw:
    """Register a widget under its function's name; its annotation says what it takes.

    Its style sheet, if any, is named in `lessons/page.css`, and its script in `lessons/widgets.js`.
    """
    _widgets[draw.__name__] = draw
    return draw


def html(name: str, context: Mapping[str, Any]) -> SafeString:
    """The template of this widget, filled in."""
    return render_to_string(f"lessons/widgets/{name}.html", dict(context))


def named_for(words: Sequence[str], matrix: Matrix) -> Matrix:
    """The matrix with its sentence in its name, where one page may have several of one caption."""
    return replace(matrix, name=f"{matrix.caption}: {' '.join(words)}")


def formula(latex: str, *, display: bool = False) -> SafeString:
    """A formula of ours, with numbers of ours as the language writes them.

    It needs no sanitising.
    """
    return mark_safe(_POINT.sub(decimal_sign(), mathml(latex, display=display)))


def group(given: Any) -> str:
    """A name for the radio buttons of this widget alone: another for other parameters."""
    return f"widget-{crc32(repr(given).encode()):08x}"
