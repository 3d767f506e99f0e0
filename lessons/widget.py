"""The base of widgets: parameters in YAML, their HTML, and the numbers to download."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any
from zlib import crc32

from django.template.loader import render_to_string
from django.utils.safestring import SafeString, mark_safe

from design.matrix import Matrix, decimal_sign
from lessons.markdown.inline import render_inline
from lessons.markdown.mathml import convert_to_mathml
from lessons.markdown.parameters import read_parameters
from lessons.markdown.parsing import display_formula
from lessons.widget_data import Block

DECIMALS = 3
_POINT = re.compile(r"(?<=\d)\.(?=\d+</mn>)")


@dataclass(frozen=True, kw_only=True)
class Widget[Parameters]:
    """A kind of fenced block in authors' texts, named after the widget's module.

    Attributes:
        about: a line that describes it in the author's menu.
        example: the parameters, in YAML, that the menu inserts.
        parameters: a frozen dataclass; its `__post_init__` raises ContentError for what is wrong.
        draw: returns its HTML. `attention_core` computes everything beyond the parameters.
        sheet: returns its calculation as blocks of a spreadsheet; its template then marks with
            `<template data-downloads=""></template>` the place for the download links.
    """

    about: str
    example: str
    parameters: type[Parameters]
    draw: Callable[[Parameters], SafeString]
    sheet: Callable[[Parameters], list[Block]] | None = None

    def render(self, text: str) -> SafeString:
        """Return its HTML, with the parameters in the YAML text.

        Raises:
            ContentError: the YAML or a parameter is wrong; its line, if any, is of the text.
        """
        return self.draw(read_parameters(self.parameters, text))

    def blocks(self, text: str) -> list[Block]:
        """Return its calculation with these parameters, or an empty list if it has no sheet.

        Raises:
            ContentError: as for `render`.
        """
        return self.sheet(read_parameters(self.parameters, text)) if self.sheet else []


def render_template(name: str, context: Mapping[str, Any], given: Any = None) -> SafeString:
    """Return the widget's template, rendered.

    Where its parameters are `given`, it gets their `caption` too, and the `group` of radio buttons.
    """
    common = {}
    if given is not None:
        common = {"group": radio_group_name(given), "caption": render_inline(given.caption)}
    return render_to_string(f"lessons/widgets/{name}.html", {**common, **context})


def name_after_sentence(words: Sequence[str], matrix: Matrix) -> Matrix:
    """Return the matrix with its sentence in its name, as several may have one caption."""
    return replace(matrix, name=f"{matrix.caption}: {' '.join(words)}")


def formula(latex: str, *, display: bool = False) -> SafeString:
    """Return a formula of ours, with numbers in the language's notation.

    It needs no sanitising.
    """
    drawn = _POINT.sub(decimal_sign(), convert_to_mathml(latex, display=display))
    return mark_safe(display_formula(drawn, latex) if display else drawn)


def radio_group_name(given: Any) -> str:
    """Return a name for this widget's radio buttons that differs for other parameters."""
    return f"widget-{crc32(repr(given).encode()):08x}"
