"""Widget: vectors as arrows that can be moved, with lengths, angles, dot products and cosines."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from math import isfinite

from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from attention_core import attention_scores
from attention_core.maths.vectors import angle, cosine_similarity, length
from design.matrix import format_number
from lessons.errors import ContentError
from lessons.markdown.parameters import check_caption, check_decimals, check_labels, check_matrix
from lessons.plane import Plane
from lessons.widget import DECIMALS, Widget, render_template

MAX_VECTORS = 3


@dataclass(frozen=True, kw_only=True)
class Vectors:
    """Two or three vectors of the plane, and their names."""

    labels: Sequence[str]
    vectors: Sequence[Sequence[float]]
    decimals: int = DECIMALS
    caption: str = ""

    def __post_init__(self):
        check_matrix("vectors", self.vectors)
        if not 2 <= len(self.vectors) <= MAX_VECTORS or len(self.vectors[0]) != 2:
            message = _("%(name)s must be from 2 to %(most)s rows of two numbers")
            raise ContentError(message % {"name": "vectors", "most": MAX_VECTORS})
        check_labels("labels", self.labels, len(self.vectors))
        check_decimals("decimals", self.decimals)
        check_caption(self.caption)


def draw(given: Vectors) -> SafeString:
    plane = Plane.around(given.vectors)
    labels = [str(label) for label in given.labels]
    context = {
        "plane": plane,
        "decimals": given.decimals,
        "arrows": [
            {
                "label": label,
                "x": format_number(vector[0]),
                "y": format_number(vector[1]),
                "length": format_number(float(length(vector)), given.decimals),
                **plane.labelled_arrow(vector),
            }
            for label, vector in zip(labels, given.vectors, strict=True)
        ],
        "pairs": [
            {
                "label": f"{one}, {other}",
                "dot": format_number(
                    float(attention_scores([a], [b], scale=1)[0, 0]), given.decimals
                ),
                "cosine": _shown(float(cosine_similarity(a, b)), given.decimals),
                "angle": _shown(float(angle(a, b)), 1, "°"),
            }
            for (one, a), (other, b) in combinations(zip(labels, given.vectors, strict=True), 2)
        ],
    }
    return render_template("vectors", context, given)


def _shown(number: float, decimals: int, unit: str = "") -> str:
    """Return a number with its unit, or a dash for NaN: a zero vector has no direction."""
    return format_number(number, decimals) + unit if isfinite(number) else "–"


WIDGET = Widget(
    about=gettext_lazy(
        "Two or three arrows to drag, with their lengths, angles, dot products and cosines."
    ),
    example="""
caption: Drag the arrows
labels: [cat, dog]
vectors: [[3, 1], [2, 2]]
""",
    parameters=Vectors,
    draw=draw,
)
