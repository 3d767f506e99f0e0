"""Widget: the softmax of a row of scores, as a temperature, d_k or a factor changes."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import sqrt

import numpy as np
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from attention_core import softmax
from design.matrix import format_number, number_matrix, plain_number
from lessons.errors import ContentError
from lessons.markdown.parameters import (
    check_caption,
    check_choice,
    check_decimals,
    check_labels,
    check_numbers,
)
from lessons.widget import DECIMALS, Widget, formula, render_template


@dataclass(frozen=True)
class Control:
    """A quantity that the slider changes: its name, its sign, the formula, and its effect."""

    name: str
    symbol: str
    latex: str
    values: Sequence[float]
    weights: Callable[[np.ndarray, float], np.ndarray]


CONTROLS = {
    "temperature": Control(
        gettext_lazy("Temperature"),
        "T",
        r"\mathrm{softmax}(s / T)",
        (0.1, 0.25, 0.5, 1, 2, 4, 10),
        lambda scores, value: softmax(scores, temperature=value),
    ),
    "d_k": Control(
        gettext_lazy("Width of a key"),
        "d_k",
        r"\mathrm{softmax}(s / \sqrt{d_k})",
        (1, 4, 16, 64, 256),
        lambda scores, value: softmax(scores, temperature=sqrt(value)),
    ),
    "factor": Control(
        gettext_lazy("Factor"),
        "c",
        r"\mathrm{softmax}(c \cdot s)",
        (0, 0.5, 1, 2, 4, 8, 16),
        lambda scores, value: softmax(scores * value),
    ),
}


@dataclass(frozen=True, kw_only=True)
class SoftmaxSlider:
    """The scores, their labels, the slider's quantity, its positions, and where it starts."""

    scores: Sequence[float]
    labels: Sequence[str] = ()
    control: str = "temperature"
    values: Sequence[float] = ()
    start: float | None = None
    decimals: int = DECIMALS
    caption: str = ""

    def __post_init__(self):
        check_numbers("scores", self.scores)
        if len(self.scores) < 2:
            raise ContentError(
                _("scores must be at least two numbers, or there’s nothing to share out")
            )
        if self.labels != ():
            check_labels("labels", self.labels, len(self.scores))
        check_choice("control", self.control, list(CONTROLS))
        check_decimals("decimals", self.decimals)
        check_caption(self.caption)
        self._check_positions()

    def _check_positions(self) -> None:
        if self.values != ():
            check_numbers("values", self.values)
        positions = self.positions
        if len(positions) < 2 or list(positions) != sorted(set(positions)):
            raise ContentError(_("values must be two or more positions, from small to large"))
        if positions[0] < 0 or (positions[0] == 0 and self.control != "factor"):
            message = _("values must be above 0 when control is %(control)s")
            raise ContentError(message % {"control": self.control})
        if self.start is not None and self.start not in positions:
            shown = ", ".join(map(str, positions))
            message = _("start is “%(start)s”; it must be one of the values: %(values)s")
            raise ContentError(message % {"start": self.start, "values": shown})

    @property
    def positions(self) -> Sequence[float]:
        """The slider's positions."""
        return self.values or CONTROLS[self.control].values

    @property
    def place(self) -> int:
        """The slider's initial position: by default 1, which changes nothing."""
        start = 1 if self.start is None else self.start
        return self.positions.index(start) if start in self.positions else 0


def draw(given: SoftmaxSlider) -> SafeString:
    control = CONTROLS[given.control]
    scores = np.asarray(given.scores, dtype=float)
    weights = [control.weights(scores, value).tolist() for value in given.positions]
    positions = [format_number(value) for value in given.positions]
    labels = [str(label) for label in given.labels or range(1, len(given.scores) + 1)]
    context = {
        "key": given.control,
        "control": control,
        "formula": formula(control.latex),
        "symbol": formula(control.symbol),
        "decimals": given.decimals,
        "place": given.place,
        "last": len(positions) - 1,
        "start": positions[given.place],
        "bars": [
            {
                "label": label,
                "score": format_number(score),
                "weight": plain_number(weight),
                "text": format_number(weight, given.decimals),
            }
            for label, score, weight in zip(labels, given.scores, weights[given.place], strict=True)
        ],
        "scores": number_matrix(given.scores, caption=_("Scores s"), columns=labels),
        "weights": number_matrix(
            weights,
            caption=_("Weights, one row for each %(name)s") % {"name": str(control.name).lower()},
            rows=positions,
            columns=labels,
            decimals=given.decimals,
            heat=True,
        ),
    }
    return render_template("softmax_slider", context, given)


WIDGET = Widget(
    about=gettext_lazy(
        "The scores, a slider over them, and a row of weights for every position it can have."
    ),
    example="""
caption: The same scores, sharper and flatter
scores: [2, 1, 0.1]
labels: [cat, dog, car]
control: temperature
values: [0.5, 1, 1.5, 2]
start: 1
""",
    parameters=SoftmaxSlider,
    draw=draw,
)
