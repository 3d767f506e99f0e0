"""Widget: from a text to a Transformer's input: tokens, IDs, embeddings, positions."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from attention_core import sinusoidal_positions
from design.matrix import Matrix, number_matrix
from lessons.errors import ContentError
from lessons.markdown.parameters import (
    check_caption,
    check_decimals,
    check_matrix,
    check_text,
    check_whole,
    check_words,
)
from lessons.widget import Widget, render_template

SINUSOIDAL = "sinusoidal"


@dataclass(frozen=True, kw_only=True)
class TextToVectors:
    """A text, its tokens (by default its words), and their IDs, embeddings and positions."""

    text: str
    ids: Sequence[int]
    embeddings: Sequence[Sequence[float]]
    positions: Sequence[Sequence[float]] | str
    tokens: Sequence[str] = ()
    decimals: int = 2
    caption: str = ""

    def __post_init__(self):
        check_text("text", self.text)
        check_caption(self.caption)
        check_decimals("decimals", self.decimals)
        check_words("tokens", self.cut)
        self._must_have_one_for_each_token("ids", self.ids)
        for number in self.ids:
            check_whole(_("each of the ids"), number)
        check_matrix("embeddings", self.embeddings)
        self._must_have_one_for_each_token("embeddings", self.embeddings)
        if self.positions == SINUSOIDAL:
            if len(self.embeddings[0]) % 2:
                raise ContentError(_("sinusoidal positions need embeddings of an even width"))
            return
        if isinstance(self.positions, str):
            message = _("positions must be rows of numbers, or the word %(word)s")
            raise ContentError(message % {"word": SINUSOIDAL})
        check_matrix("positions", self.positions)
        self._must_have_one_for_each_token("positions", self.positions)
        if len(self.positions[0]) != len(self.embeddings[0]):
            raise ContentError(_("the rows of positions and embeddings must be equally long"))

    def _must_have_one_for_each_token(self, name: str, values: Sequence) -> None:
        if not isinstance(values, list | tuple) or len(values) != len(self.cut):
            tokens = ", ".join(map(str, self.cut))
            message = _("%(name)s needs one entry for each token; the tokens are: %(tokens)s")
            raise ContentError(message % {"name": name, "tokens": tokens})

    @property
    def cut(self) -> Sequence[str]:
        """The tokens."""
        return self.tokens or self.text.split()


def draw(given: TextToVectors) -> SafeString:
    return render_template("text_to_vectors", {"stages": _stages(given)}, given)


def _stages(given: TextToVectors) -> list[dict[str, Any]]:
    """Return the stages: each with its title, what happens in it, and its result."""
    tokens = [str(token) for token in given.cut]
    count, width = len(tokens), len(given.embeddings[0])
    embeddings = np.asarray(given.embeddings, dtype=float)
    positions = (
        sinusoidal_positions(range(count), width)
        if given.positions == SINUSOIDAL
        else np.asarray(given.positions, dtype=float)
    )

    def matrix(values: np.ndarray, caption: str) -> Matrix:
        return number_matrix(values, caption=caption, rows=tokens, decimals=given.decimals)

    return [
        {
            "title": _("Text"),
            "says": _("Letters, spaces and punctuation: nothing a network could multiply or add."),
            "text": given.text,
        },
        {
            "title": _("Tokens"),
            "says": _(
                "The text is cut into pieces from a fixed list: whole words, or parts of words."
            ),
            "tokens": tokens,
        },
        {
            "title": _("IDs"),
            "says": _(
                "Each token has a number in that list. It’s a name: larger doesn’t mean more."
            ),
            "matrices": [
                number_matrix([[i] for i in given.ids], caption=_("Token IDs"), rows=tokens)
            ],
        },
        {
            "title": _("Embeddings"),
            "says": _("Each ID picks its row of a learned table: a vector of %(width)d numbers.")
            % {"width": width},
            "matrices": [matrix(embeddings, _("Embeddings E"))],
        },
        {
            "title": _("+ position"),
            "says": _("A vector for each place in the text is added, so that order isn’t lost."),
            "matrices": [
                matrix(embeddings, _("Embeddings E")),
                matrix(positions, _("Positions P")),
                matrix(embeddings + positions, _("Into the first layer: X = E + P")),
            ],
        },
    ]


WIDGET = Widget(
    about=gettext_lazy(
        "A strip of stages: text, tokens, IDs, embeddings, and the positions added to them."
    ),
    example="""
text: The cat sat
ids: [3, 1, 2]
embeddings: [[0.1, 0.3, -0.2, 0.5], [0.8, 0.4, -0.1, 0.2], [-0.3, 0.9, 0.2, -0.4]]
positions: sinusoidal
""",
    parameters=TextToVectors,
    draw=draw,
)
