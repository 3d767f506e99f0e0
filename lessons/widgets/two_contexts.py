"""One word in two sentences: the same vector before attention, two vectors after it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from attention_core import attention_scores, softmax
from attention_core.maths.vectors import cosine_similarity
from design.matrix import Cell, Matrix, heat_level, number_matrix, number_text
from lessons.errors import AuthorError
from lessons.markdown.inline import render_inline
from lessons.markdown.parameters import (
    must_be_caption,
    must_be_decimals,
    must_be_flag,
    must_be_matrix,
    must_be_text,
    must_be_words,
)
from lessons.widgets.widget import DECIMALS, html, named_for, widget

ABOUT = gettext_lazy("Both sentences side by side: where the word looks, and what it becomes.")
EXAMPLE = """
word: mouse
contexts:
- name: with a cat
  tokens: [cat, chased, mouse]
  x: [[2, 0], [0, 1], [1, 1]]
- name: with a keyboard
  tokens: [keyboard, and, mouse]
  x: [[0, 2], [0, 0], [1, 1]]
"""


@dataclass(frozen=True, kw_only=True)
class TwoContexts:
    """The word, and two sentences it stands in, with a vector for each of their tokens.

    There are no projections: Q = K = V = X.
    """

    word: str
    contexts: Sequence[Mapping[str, Any]]
    scale: bool = True
    decimals: int = DECIMALS
    caption: str = ""

    def __post_init__(self):
        must_be_text("word", self.word)
        must_be_flag("scale", self.scale)
        must_be_decimals("decimals", self.decimals)
        must_be_caption(self.caption)
        if not isinstance(self.contexts, list | tuple) or len(self.contexts) != 2:
            raise AuthorError(_("contexts must be two, each with tokens and x"))
        first, second = (
            _checked(_("number %(number)s of contexts") % {"number": number}, context, self.word)
            for number, context in enumerate(self.contexts, start=1)
        )
        if list(first) != list(second):
            told = _(
                "“%(word)s” has another vector in each context; before attention they are the"
                " same, and only so can one see what attention changes"
            )
            raise AuthorError(told % {"word": self.word})


def _checked(name: str, context: Any, word: str) -> Sequence[float]:
    """The word's vector in a context that is as it must be."""
    known = {"tokens", "x", "name"}
    of_it = {"name": name, "word": word}
    if not isinstance(context, Mapping) or not {"tokens", "x"} <= set(context) <= known:
        raise AuthorError(
            _("%(name)s needs tokens and x, and may have a name, nothing else") % of_it
        )
    must_be_words(_("tokens of %(name)s") % of_it, context["tokens"])
    must_be_matrix(_("x of %(name)s") % of_it, context["x"])
    if len(context["x"]) != len(context["tokens"]):
        told = _(
            "%(name)s has %(tokens)s tokens and %(rows)s rows in x; it needs one row for each token"
        )
        sizes = {"tokens": len(context["tokens"]), "rows": len(context["x"])}
        raise AuthorError(told % {**of_it, **sizes})
    if word not in context["tokens"]:
        raise AuthorError(_("“%(word)s” is not among the tokens of %(name)s") % of_it)
    if "name" in context:
        must_be_text(_("name of %(name)s") % of_it, context["name"])
    return _vector(context, word)


def _vector(context: Mapping[str, Any], word: str) -> Sequence[float]:
    return context["x"][context["tokens"].index(word)]


@dataclass(frozen=True)
class Context:
    """One of the two sentences, as the page shows it."""

    name: str
    tokens: Sequence[str]
    place: int
    vectors: Matrix
    looks: Matrix
    after: Matrix


@widget
def two_contexts(given: TwoContexts) -> SafeString:
    outputs = []
    contexts = []
    for number, context in enumerate(given.contexts):
        shown, output = _read(given, context, _("Context %(letter)s") % {"letter": "AB"[number]})
        contexts.append(shown)
        outputs.append(output)
    vector = _vector(given.contexts[0], given.word)
    return html(
        "two_contexts",
        {
            "word": given.word,
            "scaled": given.scale,
            "decimals": given.decimals,
            "before": number_matrix(
                vector,
                caption=_("“%(word)s” before attention, in both sentences") % {"word": given.word},
            ),
            "contexts": contexts,
            "alike_before": number_text(float(cosine_similarity(vector, vector)), given.decimals),
            "alike_after": number_text(float(cosine_similarity(*outputs)), given.decimals),
            "caption": render_inline(given.caption),
        },
    )


def _read(given: TwoContexts, context: Mapping[str, Any], name: str) -> tuple[Context, np.ndarray]:
    """A context as the page shows it, and the vector that the word has in the end."""
    tokens = [str(token) for token in context["tokens"]]
    x = np.asarray(context["x"], dtype=float)
    place = context["tokens"].index(given.word)
    scores = attention_scores(x[[place]], x, scale=None if given.scale else 1.0)[0]
    weights = softmax(scores)
    output = weights @ x
    words = {"word": given.word}
    shown = Context(
        name=context.get("name", name),
        tokens=tokens,
        place=place,
        vectors=named_for(
            tokens, number_matrix(x, caption=_("Vectors X = Q = K = V"), rows=tokens)
        ),
        looks=named_for(
            tokens,
            Matrix(
                _("Where “%(word)s” looks") % words,
                tuple(
                    (
                        Cell(number_text(score, given.decimals), score),
                        Cell(number_text(weight, given.decimals), weight, heat_level(weight)),
                    )
                    for score, weight in zip(scores.tolist(), weights.tolist(), strict=True)
                ),
                tuple(tokens),
                (_("Scaled score") if given.scale else _("Score"), _("Weight")),
            ),
        ),
        after=named_for(
            tokens,
            number_matrix(
                output, caption=_("“%(word)s” after attention") % words, decimals=given.decimals
            ),
        ),
    )
    return shown, output
