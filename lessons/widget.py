"""What a widget is: parameters in YAML, the HTML they become, and the numbers to take along."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any
from zlib import crc32

from django.template.loader import render_to_string
from django.utils.safestring import SafeString, mark_safe

from design.matrix import Matrix, decimal_sign
from lessons.markdown.mathml import mathml
from lessons.markdown.parameters import read_parameters
from lessons.markdown.parsing import displayed
from lessons.widget_data import Block

DECIMALS = 3
_POINT = re.compile(r"(?<=\d)\.(?=\d+</mn>)")


@dataclass(frozen=True, kw_only=True)
class Widget[Parameters]:
    """What an author puts into a text as a fenced block, under the name of the widget's file.

    Attributes:
        about: what it shows, in a line, for the author's menu.
        example: what the menu inserts: its parameters filled in, in YAML.
        parameters: a frozen dataclass; its `__post_init__` raises ContentError for what is wrong.
        draw: its HTML. What it shows beyond its parameters is computed by `attention_core`.
        sheet: what it calculates, as blocks of a spreadsheet; its template then says by
            `<template data-downloads=""></template>` where the links to it go.
    """

    about: str
    example: str
    parameters: type[Parameters]
    draw: Callable[[Parameters], SafeString]
    sheet: Callable[[Parameters], list[Block]] | None = None

    def render(self, text: str) -> SafeString:
        """Its HTML, with the parameters that the YAML text holds.

        Raises:
            ContentError: the YAML or a parameter is wrong; its line, if any, is of the text.
        """
        return self.draw(read_parameters(self.parameters, text))

    def blocks(self, text: str) -> list[Block]:
        """What it calculates with these parameters: nothing where it has no sheet.

        Raises:
            ContentError: as for `render`.
        """
        return self.sheet(read_parameters(self.parameters, text)) if self.sheet else []


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
    drawn = _POINT.sub(decimal_sign(), mathml(latex, display=display))
    return mark_safe(displayed(drawn, latex) if display else drawn)


def group(given: Any) -> str:
    """A name for the radio buttons of this widget alone: another for other parameters."""
    return f"widget-{crc32(repr(given).encode()):08x}"
