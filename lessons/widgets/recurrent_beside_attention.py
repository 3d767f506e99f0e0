"""Widget: a recurrent network beside attention, with the path from one word to another."""

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from attention_core import band_mask, path_lengths
from lessons.errors import ContentError
from lessons.markdown.parameters import check_caption, check_place, check_words
from lessons.widget import Widget, render_template

MIN_WORDS, MAX_WORDS = 2, 12
# The right end of the drawing of attention, in heights of a row.
_OUTPUT = 3.7


@dataclass(frozen=True, kw_only=True)
class Readers:
    """A sentence, and the two words, counted from 1, whose path is highlighted at the start."""

    tokens: Sequence[str]
    path: Sequence[int]
    caption: str = ""

    def __post_init__(self):
        check_words("tokens", self.tokens)
        if not MIN_WORDS <= len(self.tokens) <= MAX_WORDS:
            message = _("tokens must be %(fewest)s to %(most)s words")
            raise ContentError(message % {"fewest": MIN_WORDS, "most": MAX_WORDS})
        try:
            check_place("path", self.path, len(self.tokens))
        except ContentError:
            message = _("path must be two of the words, counted from 1, such as [1, %(last)s]")
            raise ContentError(message % {"last": len(self.tokens)}) from None
        check_caption(self.caption)

    @property
    def words(self) -> list[str]:
        """The tokens, as texts."""
        return [str(token) for token in self.tokens]


def draw(given: Readers) -> SafeString:
    count, (first, last) = len(given.tokens), [place - 1 for place in given.path]
    recurrent = path_lengths(band_mask(count, count, back=1, ahead=0))
    attention = path_lengths(band_mask(count, count))
    in_turn = int(recurrent[-1, 0]) + 1
    context = {
        "words": given.words,
        "count": count,
        "first": first,
        "last": last,
        # The arrow from each word's state to the next, and its number on the initial path.
        "hops": [
            {"source": i, "step": i + 1 - first if first <= i < last else ""}
            for i in range(count - 1)
        ],
        "passed": range(first, last + 1),
        "looks": "".join(
            f"M.1 {source}.5L{_OUTPUT} {target}.5"
            for target, source in np.argwhere(attention <= 1).tolist()
        ),
        "output": _OUTPUT,
        "lengths": json.dumps([_steps(recurrent), _steps(attention)], separators=(",", ":")),
        "recurrent": _describe_path(recurrent[last, first]),
        "attention": _describe_path(attention[last, first]),
        "sayings": PATH_TEXTS,
        "in_turn": ngettext(
            "All words: %(count)d step, each waiting for the one before.",
            "All words: %(count)d steps, each waiting for the one before.",
            in_turn,
        )
        % {"count": in_turn},
        "at_once": _("All words: 1 step, with %(scores)d scores side by side.")
        % {"scores": count * count},
    }
    return render_template("recurrent_beside_attention", context, given)


# A panel's texts on the path, by its number of steps; the script uses them too.
PATH_TEXTS = {
    "none": gettext_lazy("Nowhere to go: these are the same word."),
    "never": gettext_lazy("No path: it reads forwards only."),
    "one": gettext_lazy("1 step"),
    "many": gettext_lazy("{steps} steps, one after another"),
}


def _describe_path(length: float) -> str:
    if math.isinf(length):
        return str(PATH_TEXTS["never"])
    by_count = {0: "none", 1: "one"}
    return str(PATH_TEXTS[by_count.get(int(length), "many")]).format(steps=int(length))


def _steps(lengths: np.ndarray) -> list[list[int | None]]:
    """Return the lengths for the script, with None where there is no path: JSON has no ∞."""
    return [[None if math.isinf(n) else int(n) for n in row] for row in lengths.tolist()]


WIDGET = Widget(
    about=gettext_lazy(
        "A recurrent network beside attention: how many steps lie between two words."
    ),
    example="""
tokens: [The, cat, on, the, mat, was, tired]
path: [2, 7]
""",
    parameters=Readers,
    draw=draw,
)
