"""Widget: any matrix of numbers as a labelled heat table."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from attention_core import softmax
from design.matrix import number_matrix
from lessons.errors import ContentError
from lessons.markdown.parameters import (
    check_decimals,
    check_labels,
    check_matrix,
    check_range,
    check_text,
)
from lessons.widget import DECIMALS, Widget, render_template
from lessons.widget_data import Block, softmax_blocks


@dataclass(frozen=True, kw_only=True)
class HeatMatrix:
    """The numbers, their labels, and the range that is shown from pale to deep."""

    caption: str
    values: Sequence[Sequence[float]]
    rows: Sequence[str] = ()
    columns: Sequence[str] = ()
    decimals: int | None = None
    heat: Sequence[float] | bool = True
    apply: str = ""

    def __post_init__(self):
        check_text("caption", self.caption)
        check_matrix("values", self.values)
        if self.rows != ():
            check_labels("rows", self.rows, len(self.values))
        if self.columns != ():
            check_labels("columns", self.columns, len(self.values[0]))
        if self.decimals is not None:
            check_decimals("decimals", self.decimals)
        if not isinstance(self.heat, bool):
            check_range("heat", self.heat)
        if self.apply not in ("", "softmax"):
            raise ContentError(_("apply can only be softmax, which is applied to each row"))


def draw(given: HeatMatrix) -> SafeString:
    values, decimals = given.values, given.decimals
    if given.apply == "softmax":
        values = softmax(values).tolist()
        decimals = DECIMALS if decimals is None else decimals
    shown = number_matrix(
        values,
        caption=given.caption,
        rows=[str(label) for label in given.rows],
        columns=[str(label) for label in given.columns],
        decimals=decimals,
        heat=given.heat if isinstance(given.heat, bool) else tuple(given.heat),
    )
    return render_template("heat_matrix", {"matrix": shown})


def sheet(given: HeatMatrix) -> list[Block]:
    labels = {
        "rows": [str(label) for label in given.rows],
        "columns": [str(label) for label in given.columns],
    }
    values = Block(name="values", title=given.caption, values=given.values, **labels)
    if given.apply != "softmax":
        return [values]
    return [values, *softmax_blocks("values", given.values, softmax(given.values), **labels)]


WIDGET = Widget(
    about=gettext_lazy("Any named matrix as a labelled heat table, or the softmax of its rows."),
    example="""
caption: Who looks at whom
rows: [the, cat]
columns: [the, cat]
values: [[0.7, 0.3], [0.4, 0.6]]
""",
    parameters=HeatMatrix,
    draw=draw,
    sheet=sheet,
)
