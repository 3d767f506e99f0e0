"""The map of the model: from the black box down to one number, with “you are here”."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, pgettext_lazy

from attention_core import attention_scores, attention_weights
from design.matrix import number_text
from lessons.errors import ContentError
from lessons.markdown.inline import render_inline
from lessons.markdown.parameters import must_be_caption, must_be_one_of, must_be_words
from lessons.widget import DECIMALS, Widget, formula, html

# The number at the bottom: how much of its attention the first of two words gives to itself.
_QUERIES = [[0.9, 0.2, 0.5]]
_KEYS = [[0.7, 0.4, 0.6], [0.2, 0.9, 0.3]]

# Each level lies inside a part of the one above: that part opens into it.
LEVELS = (
    (
        "transformer",
        gettext_lazy("From outside"),
        {
            "text": gettext_lazy("text"),
            "transformer": gettext_lazy("Transformer"),
            "next_token": gettext_lazy("the next token"),
        },
    ),
    (
        "blocks",
        gettext_lazy("Inside it"),
        {
            "tokens": gettext_lazy("tokens"),
            "embeddings": gettext_lazy("embeddings"),
            "positions": gettext_lazy("+ positions"),
            "blocks": gettext_lazy("block × N"),
            "logits": gettext_lazy("logits"),
            "probabilities": gettext_lazy("softmax"),
        },
    ),
    (
        "attention",
        gettext_lazy("Inside a block"),
        {
            "attention": pgettext_lazy("a part of the block", "attention"),
            "add_and_norm": gettext_lazy("add & norm"),
            "feed_forward": gettext_lazy("feed-forward"),
            "add_and_norm_again": gettext_lazy("add & norm"),
        },
    ),
    (
        "weights",
        gettext_lazy("Inside a head"),
        {
            "queries_keys_values": "$Q$, $K$, $V$",
            "scores": "$QK^\\top$",
            "scaling": "$\\div \\sqrt{d_k}$",
            "mask": pgettext_lazy("of attention", "mask"),
            "weights": gettext_lazy("softmax"),
            "blend": "$AV$",
            "heads": gettext_lazy("join the heads"),
        },
    ),
)
PARTS = [part for _opens, _title, parts in LEVELS for part in parts]


@dataclass(frozen=True, kw_only=True)
class ModelMap:
    """The parts of the model that a lesson is about."""

    here: Sequence[str]
    caption: str = ""

    def __post_init__(self):
        must_be_words("here", self.here)
        for part in self.here:
            must_be_one_of(_("each of here"), part, PARTS)
        if len(set(self.here)) < len(self.here):
            raise ContentError(_("here names each part once"))
        must_be_caption(self.caption)


@dataclass(frozen=True)
class Box:
    """A part as it is drawn: whether the reader is there, and whether the level below is in it.

    Of several parts only the first says in sight that the reader is there.
    """

    title: SafeString
    is_here: bool
    is_first: bool
    opens: bool


@dataclass(frozen=True)
class Level:
    """A row of boxes, each leading to the next."""

    title: str
    boxes: tuple[Box, ...]


def draw(given: ModelMap) -> SafeString:
    score, scaled, weight = _number()
    context = {
        "levels": list(_levels(given)),
        "score": number_text(score, DECIMALS),
        "scaled": number_text(scaled, DECIMALS),
        "weight": number_text(weight, DECIMALS),
        "root": formula(rf"\div \sqrt{{{len(_KEYS[0])}}}"),
        "caption": render_inline(given.caption),
    }
    return html("model_map", context)


def _levels(given: ModelMap) -> Iterator[Level]:
    first = next(part for part in PARTS if part in given.here)
    for opens, title, parts in LEVELS:
        boxes = (
            Box(render_inline(str(name)), part in given.here, part == first, part == opens)
            for part, name in parts.items()
        )
        yield Level(str(title), tuple(boxes))


def _number() -> tuple[float, float, float]:
    """A score, what scaling makes of it, and the weight that it earns."""
    raw = attention_scores(_QUERIES, _KEYS, scale=1)
    scaled = attention_scores(_QUERIES, _KEYS)
    weights = attention_weights(_QUERIES, _KEYS)
    return float(raw[0, 0]), float(scaled[0, 0]), float(weights[0, 0])


WIDGET = Widget(
    about=gettext_lazy(
        "The map of the model, from the black box down to one number, with the parts lit that the"
        " lesson is about."
    ),
    example="""
here: [scores, weights]
""",
    parameters=ModelMap,
    draw=draw,
)
