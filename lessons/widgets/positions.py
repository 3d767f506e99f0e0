"""Widget: sinusoidal positions as a picture, and the comparison of two of them."""

import json
import math
from dataclasses import dataclass

import numpy as np
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from attention_core import attention_scores, sinusoidal_positions
from design.matrix import HEAT_STEPS, format_number, heat_level, number_matrix, plain_number
from lessons.errors import ContentError
from lessons.markdown.parameters import check_caption, check_whole
from lessons.widget import DECIMALS, Widget, render_template
from lessons.widget_data import Block

MAX_POSITIONS, MAX_DIMENSIONS = 64, 32
# Decimals of the numbers that the script multiplies: enough for three of a dot product.
_WRITTEN = 8
# Filled in again by the script.
SAYS = gettext_lazy(
    "{distance} apart: the dot product of positions {chosen} and {other} is {product}."
    " With itself, any position gives {itself}."
)


@dataclass(frozen=True, kw_only=True)
class Positions:
    """The number of positions and dimensions, and the two positions compared at the start."""

    positions: int = 32
    dimensions: int = 16
    choose: int = 3
    compare: int = 8
    caption: str = ""

    def __post_init__(self):
        for name, most in (("positions", MAX_POSITIONS), ("dimensions", MAX_DIMENSIONS)):
            check_whole(name, getattr(self, name), least=2)
            if getattr(self, name) > most:
                message = _("%(name)s must be at most %(most)s")
                raise ContentError(message % {"name": name, "most": most})
        if self.dimensions % 2:
            raise ContentError(_("dimensions come in pairs: give an even number"))
        for name in ("choose", "compare"):
            check_whole(name, getattr(self, name))
            if getattr(self, name) >= self.positions:
                message = _("%(name)s must be one of the positions, from 0 to %(last)s")
                raise ContentError(message % {"name": name, "last": self.positions - 1})
        check_caption(self.caption)

    @property
    def vectors(self) -> np.ndarray:
        """The vectors, a row for each position."""
        return sinusoidal_positions(range(self.positions), self.dimensions)

    @property
    def products(self) -> np.ndarray:
        """The dot product of each pair of positions."""
        return attention_scores(self.vectors, self.vectors, scale=1)


def draw(given: Positions) -> SafeString:
    vectors, products = given.vectors, given.products
    chosen, other = given.choose, given.compare
    high, low = given.dimensions / 2, min(0.0, math.floor(products.min()))
    context = {
        "positions": given.positions,
        "dimensions": given.dimensions,
        "last": given.positions - 1,
        "last_dimension": given.dimensions - 1,
        "chosen": chosen,
        "other": other,
        "tones": _tones(vectors),
        "steps": range(HEAT_STEPS),
        "vectors": json.dumps(vectors.round(_WRITTEN).tolist(), separators=(",", ":")),
        "numbers": number_matrix(
            vectors[chosen].reshape(-1, 2),
            caption=_("Position {position}").format(position=chosen),
            rows=[f"{i}, {i + 1}" for i in range(0, given.dimensions, 2)],
            columns=["sin", "cos"],
            decimals=DECIMALS,
        ),
        "decimals": DECIMALS,
        # Bars from zero, in a drawing whose top is the largest possible product.
        "bars": [
            {"top": f"{high - max(product, 0):.3f}", "height": f"{abs(product):.3f}"}
            for product in products[chosen].tolist()
        ],
        "high": format_number(high),
        "low": format_number(low),
        "height": plain_number(high - low),
        "sentence": SAYS.format(
            distance=abs(chosen - other),
            chosen=chosen,
            other=other,
            product=format_number(float(products[chosen, other]), DECIMALS),
            itself=format_number(float(products[chosen, chosen]), DECIMALS),
        ),
        "says": SAYS,
    }
    return render_template("positions", context, given)


def _tones(vectors: np.ndarray) -> list[str]:
    """Return the path of the cells of each heat step; a thousand elements would be slow."""
    paths: list[list[str]] = [[] for _step in range(HEAT_STEPS)]
    for y, row in enumerate(vectors):
        for x, value in enumerate(row):
            paths[heat_level(value, -1, 1)].append(f"M{x} {y}h1v1h-1z")
    return ["".join(path) for path in paths]


def sheet(given: Positions) -> list[Block]:
    places = [str(i) for i in range(given.positions)]
    return [
        Block(
            name="positions",
            title=_("Positions P, a row for each"),
            values=given.vectors,
            rows=places,
            columns=[str(i) for i in range(given.dimensions)],
        ),
        Block(
            name="products",
            title=_("The dot product of each pair of positions"),
            values=given.products,
            rows=places,
            columns=places,
            formula="MMULT({positions},TRANSPOSE({positions}))",
        ),
    ]


WIDGET = Widget(
    about=gettext_lazy(
        "Sinusoidal positions as light and dark cells, and how alike any two of them are."
    ),
    example="""
positions: 32
dimensions: 16
choose: 3
compare: 8
""",
    parameters=Positions,
    draw=draw,
    sheet=sheet,
)
