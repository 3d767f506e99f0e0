"""Widget: values as arrows, and their weighted mean, which never leaves their hull."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from attention_core import softmax
from attention_core.maths.vectors import convex_hull
from design.matrix import format_number, plain_number
from lessons.errors import ContentError
from lessons.markdown.inline import render_inline
from lessons.markdown.parameters import (
    check_caption,
    check_decimals,
    check_labels,
    check_matrix,
    check_numbers,
)
from lessons.plane import Plane
from lessons.widget import DECIMALS, Widget, formula, radio_group_name, render_template

MAX_VALUES = 6
MAX_SCORE = 5


@dataclass(frozen=True, kw_only=True)
class Blending:
    """The words, their values in the plane, and the scores that become their weights."""

    labels: Sequence[str]
    values: Sequence[Sequence[float]]
    scores: Sequence[float]
    decimals: int = DECIMALS
    caption: str = ""

    def __post_init__(self):
        check_matrix("values", self.values)
        if not 2 <= len(self.values) <= MAX_VALUES or len(self.values[0]) != 2:
            message = _("values must be from 2 to %(most)s rows of two numbers")
            raise ContentError(message % {"most": MAX_VALUES})
        check_labels("labels", self.labels, len(self.values))
        check_numbers("scores", self.scores)
        if len(self.scores) != len(self.values):
            raise ContentError(_("scores must hold one number for each of the values"))
        if max(map(abs, self.scores)) > MAX_SCORE:
            message = _("scores must lie between −%(most)s and %(most)s")
            raise ContentError(message % {"most": MAX_SCORE})
        check_decimals("decimals", self.decimals)
        check_caption(self.caption)


@dataclass(frozen=True)
class Part:
    """A value, its score and weight, and the arrows of the value and of its part of the blend.

    A value without a length has no tip that could be labelled.
    """

    label: str
    value: str
    x: str
    y: str
    score: str
    at: str
    weight: str
    path: str
    part: str
    tip: tuple[float, float]
    name_y: float
    has_length: bool


def draw(given: Blending) -> SafeString:
    plane = Plane.around(given.values)
    values = np.asarray(given.values, dtype=float)
    weights = softmax(given.scores)
    blend = weights @ values
    tip = plane.place(blend.tolist())
    context = {
        "group": radio_group_name(given),
        "plane": plane,
        "most": MAX_SCORE,
        "decimals": given.decimals,
        "hull": plane.points(convex_hull(values).tolist()),
        "parts": _parts(given, plane, values, weights),
        "formula": formula(r"\sum_j a_j v_j"),
        "path": plane.arrow(blend.tolist()),
        "tip": tip,
        "name_y": tip[1] - 12 if tip[1] < 0 else tip[1] + 22,
        "blend": ", ".join(format_number(number, given.decimals) for number in blend.tolist()),
        "caption": render_inline(given.caption),
    }
    return render_template("blending", context)


def _parts(given: Blending, plane: Plane, values: np.ndarray, weights: np.ndarray) -> list[Part]:
    """Return the values in order; each part begins where the one before it ends."""
    ends = np.cumsum(weights[:, None] * values, axis=0)
    starts = np.vstack([[0, 0], ends[:-1]])
    parts = []
    for label, value, score, weight, start, end in zip(
        given.labels, given.values, given.scores, weights.tolist(), starts, ends, strict=True
    ):
        tip = plane.place(value)
        parts.append(
            Part(
                label=str(label),
                value=", ".join(map(format_number, value)),
                x=plain_number(value[0]),
                y=plain_number(value[1]),
                score=format_number(score),
                at=plain_number(score),
                weight=format_number(weight, given.decimals),
                path=plane.arrow(value),
                part=plane.arrow(end.tolist(), start.tolist()),
                tip=tip,
                name_y=tip[1] - 12 if tip[1] < 0 else tip[1] + 22,
                has_length=any(value),
            )
        )
    return parts


WIDGET = Widget(
    about=gettext_lazy(
        "Values as arrows that are blended: sliders for their scores, and the hull that the blend"
        " never leaves."
    ),
    example="""
caption: Three values, and the blend of them
labels: [cat, sat, mat]
values: [[3, 1], [-1, 3], [-2, -2]]
scores: [2, 1, 0]
""",
    parameters=Blending,
    draw=draw,
)
