"""Widget: a sentence whose words show where they look, by one head of our own machine."""

import json
from dataclasses import dataclass

import numpy as np
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from attention_core.errors import NothingToRead, TooManyWords, UnknownWord
from attention_core.machine.model import machine
from attention_core.machine.tokens import tokens_of
from design.matrix import format_number, heat_level
from lessons.errors import ContentError
from lessons.markdown.parameters import check_caption, check_text
from lessons.widget import Widget, render_template
from lessons.widgets.attention_map import largest_weights

DECIMALS = 2
_NAMED = 2


@dataclass(frozen=True, kw_only=True)
class LookingBack:
    """A sentence that the machine knows, one of its words, and an earlier word to look for.

    Of all heads it shows the one by which `word` looks at `at` most. If a word occurs twice, the
    last occurrence counts.
    """

    sentence: str
    word: str
    at: str
    caption: str = ""

    def __post_init__(self):
        check_text("sentence", self.sentence)
        check_caption(self.caption)
        try:
            tokens = self.tokens
        except (NothingToRead, TooManyWords, UnknownWord) as trouble:
            message = _("the machine can’t read this sentence: %(trouble)s")
            raise ContentError(message % {"trouble": trouble}) from None
        for name, word in (("word", self.word), ("at", self.at)):
            if word not in tokens[1:]:
                message = _("%(name)s must be one of the words: %(words)s")
                raise ContentError(message % {"name": name, "words": ", ".join(tokens[1:])})
        if self.place_of(self.at) >= self.place_of(self.word):
            raise ContentError(_("“at” must come before “word”: the machine only looks back"))

    @property
    def tokens(self) -> tuple[str, ...]:
        """The sentence's tokens, with the start token."""
        return tokens_of(self.sentence)

    def place_of(self, word: str) -> int:
        return max(place for place, token in enumerate(self.tokens) if token == word)


def draw(given: LookingBack) -> SafeString:
    tokens, chosen = given.tokens, given.place_of(given.word)
    every = machine().read(tokens).weights
    heads = every[:, :, chosen, given.place_of(given.at)]
    layer, head = map(int, np.unravel_index(int(heads.argmax()), heads.shape))
    weights = every[layer, head]
    row = weights[chosen]
    context = {
        "words": [
            {
                "text": token,
                "weight": format_number(float(weight), DECIMALS) if place <= chosen else "",
                "heat": heat_level(float(weight)),
                "is_chosen": place == chosen,
            }
            for place, (token, weight) in enumerate(zip(tokens, row, strict=True))
        ],
        "weights": json.dumps(weights.round(4).tolist(), separators=(",", ":")),
        "chosen": chosen,
        "decimals": DECIMALS,
        "named": _NAMED,
        "says": _("“{word}” looks most at: {looks}.").format(
            word=tokens[chosen], looks=largest_weights(tokens, row.tolist(), DECIMALS, _NAMED)
        ),
        "layer": layer,
        "head": head,
    }
    return render_template("looking_back", context, given)


WIDGET = Widget(
    about=gettext_lazy(
        "A sentence: point at a word to see which earlier words our own machine looks at."
    ),
    example="""
sentence: the keys near the old box are
word: are
at: keys
""",
    parameters=LookingBack,
    draw=draw,
)
