"""Widget: the formula of attention, whose symbols become their matrices."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from attention_core import attention, attention_scores, attention_weights
from design.matrix import Matrix, number_matrix
from lessons.markdown.inline import render_inline
from lessons.widget import DECIMALS, Widget, formula, render_template
from lessons.widget_data import Block
from lessons.widgets import attention_steps
from lessons.widgets.attention_steps import AttentionSteps


@dataclass(frozen=True, kw_only=True)
class Formula:
    """Tokens with their queries, keys and values."""

    tokens: Sequence[str]
    q: Sequence[Sequence[float]]
    k: Sequence[Sequence[float]]
    v: Sequence[Sequence[float]]
    caption: str = ""
    decimals: int = DECIMALS

    def __post_init__(self):
        _ = self.steps

    @property
    def steps(self) -> AttentionSteps:
        """The parameters for the widget of attention's steps, which also validates them."""
        given = {name: getattr(self, name) for name in ("tokens", "q", "k", "v")}
        return AttentionSteps(**given, caption=self.caption, decimals=self.decimals)


def draw(given: Formula) -> SafeString:
    parts = _parts(given)
    context = {"parts": parts, **{f"{part['key']}_part": part for part in parts}}
    return render_template("formula", context, given)


def _parts(given: Formula) -> list[dict[str, Any]]:
    """Return the parts: each with its sign, the formula up to it, and the matrices it means."""
    tokens = [str(token) for token in given.tokens]
    width = len(given.k[0])

    def square(caption: str, values: np.ndarray, *, heat: bool = False) -> Matrix:
        labels = {"rows": tokens, "columns": tokens}
        return number_matrix(values, caption=caption, decimals=given.decimals, heat=heat, **labels)

    q = number_matrix(given.q, caption=_("Queries Q"), rows=tokens)
    k = number_matrix(np.transpose(given.k), caption=_("Keys Kᵀ"), columns=tokens)
    v = number_matrix(given.v, caption=_("Values V"), rows=tokens)
    scores = square(_("Scores QKᵀ"), attention_scores(given.q, given.k, scale=1))
    scaled = square(_("Scaled scores"), attention_scores(given.q, given.k))
    weights = square(_("Attention weights"), attention_weights(given.q, given.k), heat=True)
    output = number_matrix(
        attention(given.q, given.k, given.v),
        caption=_("Output"),
        rows=tokens,
        decimals=given.decimals,
    )
    product, scale = r"QK^\top", r"\frac{QK^\top}{\sqrt{d_k}}"
    softmax = rf"\mathrm{{softmax}}\left({scale}\right)"
    root = math.sqrt(width)
    about = f"= {root:.0f}" if root.is_integer() else rf"\approx {root:.{DECIMALS}f}"
    divisor = formula(rf"\sqrt{{{width}}} {about}")
    parts = [
        ("q", formula("Q"), _("Queries"), "Q", render_inline(str(Q_SAYS)), [q]),
        (
            "k",
            formula(r"K^\top"),
            _("Keys, turned on their side"),
            r"K^\top",
            render_inline(str(K_SAYS)),
            [k],
        ),
        ("product", "·", _("Scores"), product, render_inline(str(PRODUCT_SAYS)), [q, k, scores]),
        (
            "scale",
            formula(r"\sqrt{d_k}"),
            _("Scale"),
            scale,
            format_html(SCALE_SAYS, width=width, divisor=divisor),
            [scores, scaled],
        ),
        (
            "softmax",
            "softmax",
            _("Softmax"),
            softmax,
            render_inline(str(SOFTMAX_SAYS)),
            [scaled, weights],
        ),
        (
            "v",
            formula("V"),
            _("Values"),
            softmax + " V",
            render_inline(str(V_SAYS)),
            [weights, v, output],
        ),
    ]
    return [
        {
            "key": key,
            "sign": sign,
            "title": title,
            "so_far": formula(so_far),
            "says": says,
            "matrices": matrices,
        }
        for key, sign, title, so_far, says, matrices in parts
    ]


Q_SAYS = gettext_lazy("A row for each token: what it’s looking for.")
K_SAYS = gettext_lazy("A column for each token: what it has to offer a query.")
PRODUCT_SAYS = gettext_lazy(
    "Every query meets every key: each row of $Q$ times each column of $K^\\top$, a dot product."
)
SCALE_SAYS = gettext_lazy("Keys have a width of {width}, so every score is divided by {divisor}.")
SOFTMAX_SAYS = gettext_lazy("Each row becomes positive weights that add up to 1.")
V_SAYS = gettext_lazy("Each row of weights blends the rows of $V$ into one row of output.")


def sheet(given: Formula) -> list[Block]:
    return attention_steps.sheet(given.steps)


WIDGET = Widget(
    about=gettext_lazy("The formula of attention: choose a symbol, and see its matrix."),
    example="""
tokens: [cat, sat]
q: [[1, 0], [0.5, 1]]
k: [[0.5, 1], [1, -0.5]]
v: [[1, 0], [0, 1]]
""",
    parameters=Formula,
    draw=draw,
    sheet=sheet,
)
