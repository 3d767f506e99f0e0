"""Widget: values as arrows, and their weighted mean, which never leaves their hull."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from attention_core import softmax
from attention_core.maths.vectors import convex_hull
from design.matrix import format_number, plain_number
from lessons.errors import ContentError
from lessons.markdown.parameters import (
    check_caption,
    check_decimals,
    check_labels,
    check_matrix,
    check_numbers,
)
from lessons.plane import Plane
from lessons.widget import DECIMALS, Widget, formula, render_template

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
            message = _("%(name)s must be from 2 to %(most)s rows of two numbers")
            raise ContentError(message % {"name": "values", "most": MAX_VALUES})
        check_labels("labels", self.labels, len(self.values))
        check_numbers("scores", self.scores)
        if len(self.scores) != len(self.values):
            raise ContentError(_("scores must hold one number for each of the values"))
        if max(map(abs, self.scores)) > MAX_SCORE:
            message = _("scores must lie between −%(most)s and %(most)s")
            raise ContentError(message % {"most": MAX_SCORE})
        check_decimals("decimals", self.decimals)
        check_caption(self.caption)


def draw(given: Blending) -> SafeString:
    plane = Plane.around(given.values)
    values = np.asarray(given.values, dtype=float)
    weights = softmax(given.scores)
    blend = weights @ values
    context = {
        "plane": plane,
        "most": MAX_SCORE,
        "decimals": given.decimals,
        "hull": plane.points(convex_hull(values).tolist()),
        "parts": _parts(given, plane, values, weights),
        "formula": formula(r"\sum_j a_j v_j"),
        **plane.labelled_arrow(blend.tolist()),
        "blend": ", ".join(format_number(number, given.decimals) for number in blend.tolist()),
    }
    return render_template("blending", context, given)


def _parts(
    given: Blending, plane: Plane, values: np.ndarray, weights: np.ndarray
) -> list[dict[str, Any]]:
    """Return the values with their scores, weights and arrows, and their parts of the blend.

    Each part begins where the one before it ends. A value without a length has no tip to label.
    """
    ends = np.cumsum(weights[:, None] * values, axis=0)
    starts = np.vstack([[0, 0], ends[:-1]])
    return [
        {
            "label": str(label),
            "value": ", ".join(map(format_number, value)),
            "x": plain_number(value[0]),
            "y": plain_number(value[1]),
            "score": format_number(score),
            "at": plain_number(score),
            "weight": format_number(weight, given.decimals),
            "part": plane.arrow(end.tolist(), start.tolist()),
            "has_length": any(value),
            **plane.labelled_arrow(value),
        }
        for label, value, score, weight, start, end in zip(
            given.labels, given.values, given.scores, weights.tolist(), starts, ends, strict=True
        )
    ]


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
