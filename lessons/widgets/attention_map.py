"""Widget: the attention in a sentence, measured on a real model or given by hand."""

import json
from collections.abc import Sequence
from dataclasses import dataclass

from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from design.matrix import Matrix, format_number, heat_level, number_matrix
from lessons.errors import ContentError
from lessons.markdown.inline import render_inline
from lessons.markdown.parameters import check_caption, check_decimals, check_labels, check_matrix
from lessons.real_model import maps
from lessons.real_model.maps import AttentionMap, Head
from lessons.widget import DECIMALS, Widget, name_after_sentence, render_template
from lessons.widget_data import Block

# Weights typed by hand are rounded; a row of 24 may be off by this much.
_ROUNDED_AWAY = 0.0121
# The number of columns with numbers that fit into a wide window.
_MOST_WITH_NUMBERS = 16
_NAMED = 4


@dataclass(frozen=True, kw_only=True)
class Attention:
    """A map by name, or tokens with their weights; and the word that is chosen at the start.

    `heads` selects some of the map's heads, in this order: each a layer and a head of it, both
    counted from 0.
    """

    source: str = ""
    tokens: Sequence[str] = ()
    weights: Sequence[Sequence[float]] = ()
    choose: str = ""
    heads: Sequence[Sequence[int]] = ()
    caption: str = ""
    decimals: int = DECIMALS

    def __post_init__(self):
        if bool(self.source) == bool(self.tokens or self.weights):
            raise ContentError(_("give either a source, or tokens and weights"))
        if self.source:
            self._check_source()
        else:
            self._check_weights()
        if self.choose != "" and str(self.choose) not in self.words:
            words = _("choose must be one of the tokens: %(tokens)s")
            raise ContentError(words % {"tokens": ", ".join(self.words)})
        check_caption(self.caption)
        check_decimals("decimals", self.decimals)

    def _check_source(self):
        if self.source not in maps.names():
            message = _("source must be one of: %(names)s")
            raise ContentError(message % {"names": ", ".join(maps.names())})
        known = [[head.layer, head.head] for head in self.measured.heads]
        asked = self.heads if isinstance(self.heads, list | tuple) else [self.heads]
        if any(pair not in known for pair in asked):
            message = _("heads must be a list of some of these: %(heads)s")
            raise ContentError(message % {"heads": ", ".join(map(str, sorted(known)))})

    def _check_weights(self):
        check_matrix("weights", self.weights)
        check_labels("tokens", self.tokens, len(self.weights))
        if len(self.weights[0]) != len(self.weights):
            raise ContentError(_("weights must have one column for each token"))
        for row in self.weights:
            if min(row) < 0 or abs(sum(row) - 1) > _ROUNDED_AWAY:
                message = _("each row of weights must add up to 1; %(row)s doesn’t")
                raise ContentError(message % {"row": list(row)})
        if self.heads != ():
            raise ContentError(_("heads can only be chosen for a source"))

    @property
    def measured(self) -> AttentionMap:
        """The source's map."""
        return maps.attention_map(self.source)

    @property
    def words(self) -> list[str]:
        """The tokens, as texts."""
        return [str(t) for t in (self.measured.tokens if self.source else self.tokens)]

    @property
    def chosen(self) -> int:
        """The place of the word whose attention is shown first."""
        return self.words.index(str(self.choose)) if self.choose != "" else 0

    @property
    def chosen_heads(self) -> list[Head]:
        """The source's heads that `heads` selects, in its order; all of them by default."""
        by_place = {(head.layer, head.head): head for head in self.measured.heads}
        return [by_place[tuple(pair)] for pair in self.heads] or self.measured.heads


def draw(given: Attention) -> SafeString:
    return attention_html(
        given.words,
        _named_weights(given),
        chosen=given.chosen,
        caption=given.caption,
        model=given.measured.model if given.source else "",
        decimals=given.decimals,
    )


def sheet(given: Attention) -> list[Block]:
    words = {"rows": given.words, "columns": given.words}
    return [
        Block(name=f"head_{i}", title=title, values=weights, heat=True, **words)
        for i, (title, weights) in enumerate(_named_weights(given))
    ]


def _named_weights(given: Attention) -> list[tuple[str, Sequence[Sequence[float]]]]:
    """Return each head's name and weights; weights given by hand have a general name."""
    if not given.source:
        return [(_("Attention weights"), given.weights)]
    return [(head_name(head), head.weights) for head in given.chosen_heads]


def attention_html(
    words: Sequence[str],
    heads: Sequence[tuple[str, Sequence[Sequence[float]]]],
    *,
    chosen: int,
    caption: str = "",
    model: str = "",
    decimals: int = DECIMALS,
) -> SafeString:
    """Return the map of these heads, each a name and its weights, on the words of a sentence."""
    name, first = heads[0]
    weights = first[chosen]
    context = {
        # As text for the script; a table per head would be thousands of elements.
        "heads": [
            {"name": name, "weights": json.dumps(weights, separators=(",", ":"))}
            for name, weights in heads
        ],
        "matrix": _matrix(words, first, name, words, decimals),
        "roomy": len(words) <= _MOST_WITH_NUMBERS,
        "words": [
            {"text": word, "weight": format_number(weight, decimals), "heat": heat_level(weight)}
            for word, weight in zip(words, weights, strict=True)
        ],
        "says": _("“{word}” looks most at: {looks}.").format(
            word=words[chosen], looks=largest_weights(words, weights, decimals, _NAMED)
        ),
        "chosen": chosen,
        "sentence": " ".join(words),
        "decimals": decimals,
        "named": _NAMED,
        "caption": render_inline(caption),
        "model": model,
    }
    if len(heads) > 1:
        looks = _("Where “{word}” looks, head by head").format(word=words[chosen])
        rows = [weights[chosen] for _name, weights in heads]
        names = [name for name, _weights in heads]
        context["by_head"] = _matrix(words, rows, looks, names, decimals)
    return render_template("attention_map", context)


def _matrix(
    words: Sequence[str],
    weights: Sequence[Sequence[float]],
    caption: str,
    rows: Sequence[str],
    decimals: int,
) -> Matrix:
    shown = number_matrix(
        weights, caption=caption, rows=rows, columns=words, decimals=decimals, heat=True
    )
    return name_after_sentence(words, shown)


def head_name(head: Head) -> str:
    """Return the name of a head on pages."""
    return _("Layer %(layer)s, head %(head)s") % {"layer": head.layer, "head": head.head}


def largest_weights(
    words: Sequence[str], weights: Sequence[float], decimals: int, count: int
) -> str:
    """Return the words with the largest weights, each with its weight."""
    first = sorted(range(len(words)), key=lambda place: -weights[place])[:count]
    return ", ".join(f"{words[place]} {format_number(weights[place], decimals)}" for place in first)


WIDGET = Widget(
    about=gettext_lazy("Where each word of a sentence looks, darker for more."),
    example="""
source: animal_it
choose: it
""",
    parameters=Attention,
    draw=draw,
    sheet=sheet,
)
