"""Widget: things side by side, with a column for each and a row for each aspect."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from lessons.errors import ContentError
from lessons.markdown.inline import render_inline
from lessons.markdown.parameters import MAX_LINES, check_caption, check_words
from lessons.widget import Widget, render_template

MAX_COLUMNS = 4


@dataclass(frozen=True, kw_only=True)
class Comparison:
    """The things to compare, and rows of an aspect followed by a cell for each column."""

    columns: Sequence[str]
    rows: Sequence[Sequence[str]]
    caption: str = ""

    def __post_init__(self):
        check_caption(self.caption)
        check_words("columns", self.columns)
        if not 2 <= len(self.columns) <= MAX_COLUMNS:
            message = _("columns must be from 2 to %(most)s things to compare")
            raise ContentError(message % {"most": MAX_COLUMNS})
        if not isinstance(self.rows, list | tuple) or not 1 <= len(self.rows) <= MAX_LINES:
            message = _("rows must be a list of 1 to %(most)s rows")
            raise ContentError(message % {"most": MAX_LINES})
        for number, row in enumerate(self.rows, start=1):
            check_words(_("row %(number)s of rows") % {"number": number}, row)
            if len(row) != len(self.columns) + 1:
                message = ngettext(
                    "row %(number)s of rows has %(entries)s entry; it needs "
                    "%(needed)s: the aspect, and a cell for each column",
                    "row %(number)s of rows has %(entries)s entries; it needs "
                    "%(needed)s: the aspect, and a cell for each column",
                    len(row),
                )
                sizes = {"entries": len(row), "needed": len(self.columns) + 1}
                raise ContentError(message % {"number": number, **sizes})


def draw(given: Comparison) -> SafeString:
    columns = [render_inline(str(column)) for column in given.columns]
    rows = []
    for row in given.rows:
        aspect, *cells = (render_inline(str(cell)) for cell in row)
        rows.append({"aspect": aspect, "cells": list(zip(columns, cells, strict=True))})
    context = {"columns": columns, "rows": rows}
    return render_template("comparison", context, given)


WIDGET = Widget(
    about=gettext_lazy("A table of words; its cells are inline Markdown."),
    example="""
caption: Two ways to read a sentence
columns: [RNN, Transformer]
rows:
- [Reads, word by word, all words at once]
- [The distance between two words, as many steps as words between, one step]
""",
    parameters=Comparison,
    draw=draw,
)
