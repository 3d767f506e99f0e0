"""Widget: several heads side by side, with where one word of a sentence looks in each."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from design.matrix import format_number, heat_level
from lessons.errors import ContentError
from lessons.widget import DECIMALS, Widget, render_template
from lessons.widget_data import Block
from lessons.widgets import attention_map
from lessons.widgets.attention_map import Attention, head_name

# The thinnest visible line, and a line of weight 1, in heights of a row.
_THINNEST, _THICKEST = 0.015, 0.45


@dataclass(frozen=True, kw_only=True)
class Heads:
    """A map by name, some of its heads as for `attention_map`, and the word chosen at the start."""

    source: str
    heads: Sequence[Sequence[int]] = ()
    choose: str = ""
    caption: str = ""

    def __post_init__(self):
        if len(self.attention.chosen_heads) < 2:
            raise ContentError(
                _("heads must list at least two heads; to show one, use attention_map")
            )

    @property
    def attention(self) -> Attention:
        """The parameters for the widget of one head, which also validates them."""
        return Attention(
            source=self.source, heads=self.heads, choose=self.choose, caption=self.caption
        )


def draw(given: Heads) -> SafeString:
    attention = given.attention
    words, chosen = attention.words, attention.chosen
    heads = [(head_name(head), head.weights) for head in attention.chosen_heads]
    context = {
        "words": words,
        "chosen": chosen,
        "count": len(words),
        "decimals": DECIMALS,
        "thinnest": _THINNEST,
        "thickest": _THICKEST,
        "panels": [
            {
                "name": name,
                "weights": json.dumps(weights, separators=(",", ":")),
                "rows": _rows(words, weights[chosen], chosen),
            }
            for name, weights in heads
        ],
        "says": SAYS,
        "looks": LOOKS,
        "sentence": SAYS.format(
            word=words[chosen],
            looks=", ".join(_most(words, weights[chosen], name) for name, weights in heads),
        ),
        "model": attention.measured.model,
    }
    return render_template("heads", context, given)


# Filled in again by the script.
SAYS = gettext_lazy("“{word}” looks most at: {looks}.")
LOOKS = gettext_lazy("{most} ({head})")


def _most(words: Sequence[str], weights: Sequence[float], name: str) -> str:
    return str(LOOKS).format(most=words[weights.index(max(weights))], head=name)


def _rows(words: Sequence[str], weights: Sequence[float], chosen: int) -> list[dict[str, Any]]:
    """Return each word with the weight that the chosen word gives it, and an arc as thick."""
    return [
        {
            "word": word,
            "weight": format_number(weight, DECIMALS),
            "heat": heat_level(weight),
            "arc": arc(chosen, place),
            "thickness": f"{weight * _THICKEST:.3f}" if weight * _THICKEST >= _THINNEST else "0",
        }
        for place, (word, weight) in enumerate(zip(words, weights, strict=True))
    ]


def arc(source: int, target: int) -> str:
    """Return an arc on the words' left, wider the farther it leads; the script draws the same."""
    if source == target:
        return f"M2 {source}.3C1.4 {source}.1 1.4 {source}.9 2 {source}.7"
    reach = max(-0.45, 1.65 - 0.22 * abs(source - target))
    return f"M2 {source}.5C{reach:.2f} {source}.5 {reach:.2f} {target}.5 2 {target}.5"


def sheet(given: Heads) -> list[Block]:
    return attention_map.sheet(given.attention)


WIDGET = Widget(
    about=gettext_lazy("Several heads side by side, with arcs from a word to where it looks."),
    example="""
source: animal_it
heads: [[3, 1], [0, 2], [2, 8]]
choose: it
""",
    parameters=Heads,
    draw=draw,
    sheet=sheet,
)
