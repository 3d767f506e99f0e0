"""Widget: the map of the model, from the black box down to one number, with “you are here”.

With a recent browser it shows one level, and readers zoom by choosing another; in others, and in
print, all levels are below each other.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, pgettext_lazy

from attention_core import attention_scores, attention_weights
from design.matrix import format_number
from lessons.errors import ContentError
from lessons.markdown.inline import render_inline
from lessons.markdown.parameters import check_caption, check_choice, check_words
from lessons.widget import DECIMALS, Widget, formula, render_template

# The number at the bottom: the attention that the first of two words gives to itself.
_QUERIES = [[0.9, 0.2, 0.5]]
_KEYS = [[0.7, 0.4, 0.6], [0.2, 0.9, 0.3]]

# Each level lies inside a part of the level above, which opens into it.
LEVELS = (
    (
        "transformer",
        gettext_lazy("The black box"),
        {
            "text": gettext_lazy("text"),
            "transformer": gettext_lazy("Transformer"),
            "next_token": gettext_lazy("the next token"),
        },
    ),
    (
        "blocks",
        gettext_lazy("The model"),
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
        gettext_lazy("A block"),
        {
            "attention": pgettext_lazy("a part of the block", "attention"),
            "add_and_norm": gettext_lazy("add & norm"),
            "feed_forward": gettext_lazy("feed-forward"),
            "add_and_norm_again": gettext_lazy("add & norm"),
        },
    ),
    (
        "scores",
        gettext_lazy("A head"),
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

# Accessible names of links that show only a formula.
LINK_NAMES = {
    "queries_keys_values": gettext_lazy("queries, keys and values"),
    "scores": gettext_lazy("scores"),
    "scaling": gettext_lazy("scaling"),
    "blend": gettext_lazy("the blend"),
}

# The section of the shipped lessons that teaches each part.
TAUGHT_IN = {
    "text": "attention-foundations#embeddings",
    "transformer": "attention-and-transformers#encoder-block",
    "next_token": "embeddings-to-attention#next-token",
    "tokens": "attention-and-transformers#text-to-vectors",
    "embeddings": "attention-foundations#embeddings",
    "positions": "embeddings-to-attention#embeddings",
    "blocks": "the-whole-block#stack",
    "logits": "the-whole-block#full-circle",
    "probabilities": "embeddings-to-attention#next-token",
    "attention": "attention-foundations#formula",
    "add_and_norm": "the-whole-block#residual",
    "feed_forward": "the-whole-block#feed-forward",
    "add_and_norm_again": "the-whole-block#norms",
    "queries_keys_values": "attention-foundations#projections",
    "scores": "embeddings-to-attention#scores",
    "scaling": "embeddings-to-attention#scaling",
    "mask": "attention-foundations#causal-mask",
    "weights": "embeddings-to-attention#softmax",
    "blend": "embeddings-to-attention#blend",
    "heads": "learning-how-to-mix#heads",
}


@dataclass(frozen=True, kw_only=True)
class ModelMap:
    """The parts of the model that a lesson is about."""

    here: Sequence[str]
    caption: str = ""

    def __post_init__(self):
        check_words("here", self.here)
        for part in self.here:
            check_choice(_("each entry of “here”"), part, PARTS)
        if len(set(self.here)) < len(self.here):
            raise ContentError(_("“here” must name each part only once"))
        check_caption(self.caption)


@dataclass(frozen=True)
class Box:
    """A part as it is drawn: where it is taught, and whether the level below is inside it.

    If the reader is at several parts of a level, only the first says so visibly.
    """

    title: SafeString
    url: str
    value: str = ""
    hidden_text: str = ""
    is_here: bool = False
    is_first: bool = False
    opens: bool = False


@dataclass(frozen=True)
class Level:
    """A row of boxes, each leading to the next."""

    title: str
    boxes: tuple[Box, ...]

    @property
    def here(self) -> int:
        """The number of its parts that the reader is at."""
        return sum(box.is_here for box in self.boxes)


def draw(given: ModelMap) -> SafeString:
    levels = [*(_level(given, *each) for each in LEVELS), _score(), _weight()]
    context = {"levels": levels, "chosen": max(levels, key=lambda level: level.here)}
    return render_template("model_map", context, given)


def _level(given: ModelMap, opens: str, title: str, parts: dict[str, str]) -> Level:
    first = next((part for part in parts if part in given.here), None)
    boxes = (
        Box(
            title=render_inline(str(name)),
            url=_taught(part),
            hidden_text=str(LINK_NAMES.get(part, "")),
            is_here=part in given.here,
            is_first=part == first,
            opens=part == opens,
        )
        for part, name in parts.items()
    )
    return Level(str(title), tuple(boxes))


def _taught(part: str) -> str:
    slug, section = TAUGHT_IN[part].split("#")
    return f"{reverse('lessons:lesson', args=[slug])}#{section}"


def _score() -> Level:
    """Return the level of one score: the dot product of one query and one key."""
    (query,), key = _QUERIES, _KEYS[0]
    score = float(attention_scores(_QUERIES, _KEYS, scale=1)[0, 0])
    products = " + ".join(f"{a} \\cdot {b}" for a, b in zip(query, key, strict=True))
    return Level(
        _("A score"),
        (
            Box(_vector(_("query"), query), _taught("queries_keys_values")),
            Box(_vector(_("key"), key), _taught("queries_keys_values")),
            Box(formula(products), _taught("scores"), hidden_text=_("the dot product")),
            Box(
                _escaped(_("score")), _taught("scores"), format_number(score, DECIMALS), opens=True
            ),
        ),
    )


def _weight() -> Level:
    """Return the level of one number: the score after scaling, and its weight."""
    raw = float(attention_scores(_QUERIES, _KEYS, scale=1)[0, 0])
    scaled = float(attention_scores(_QUERIES, _KEYS)[0, 0])
    weight = float(attention_weights(_QUERIES, _KEYS)[0, 0])
    root = formula(rf"\div \sqrt{{{len(_KEYS[0])}}}")
    return Level(
        _("One number"),
        (
            Box(_escaped(_("score")), _taught("scores"), format_number(raw, DECIMALS)),
            Box(root, _taught("scaling"), format_number(scaled, DECIMALS), hidden_text=_("scaled")),
            Box(_escaped(_("weight")), _taught("weights"), format_number(weight, DECIMALS)),
        ),
    )


def _vector(name: str, numbers: Sequence[float]) -> SafeString:
    return format_html("{} {}", name, formula(f"({', '.join(map(str, numbers))})"))


def _escaped(text: str) -> SafeString:
    return format_html("{}", text)


WIDGET = Widget(
    about=gettext_lazy(
        "The map of the model, from the black box down to one number; the parts "
        "that the lesson is about are highlighted."
    ),
    example="""
here: [scores, weights]
""",
    parameters=ModelMap,
    draw=draw,
)
