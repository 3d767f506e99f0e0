"""Widget: one word in two sentences, with one vector before attention and two after it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from attention_core import attention, attention_scores, softmax
from attention_core.maths.vectors import cosine_similarity
from design.matrix import Cell, Matrix, format_number, heat_level, number_matrix
from lessons.errors import ContentError
from lessons.markdown.parameters import (
    check_caption,
    check_decimals,
    check_flag,
    check_matrix,
    check_text,
    check_words,
)
from lessons.widget import DECIMALS, Widget, name_after_sentence, render_template
from lessons.widget_data import Block, softmax_blocks, switch_block


@dataclass(frozen=True, kw_only=True)
class TwoContexts:
    """The word, and two sentences that contain it, with a vector for each of their tokens.

    There are no projections: Q = K = V = X.
    """

    word: str
    contexts: Sequence[Mapping[str, Any]]
    scale: bool = True
    decimals: int = DECIMALS
    caption: str = ""

    def __post_init__(self):
        check_text("word", self.word)
        check_flag("scale", self.scale)
        check_decimals("decimals", self.decimals)
        check_caption(self.caption)
        if not isinstance(self.contexts, list | tuple) or len(self.contexts) != 2:
            raise ContentError(_("there must be two contexts, each with tokens and x"))
        first, second = (
            _checked(_("number %(number)s of contexts") % {"number": number}, context, self.word)
            for number, context in enumerate(self.contexts, start=1)
        )
        if list(first) != list(second):
            message = _(
                "“%(word)s” has a different vector in each context; give it the same one in both,"
                " so that readers see what attention changes"
            )
            raise ContentError(message % {"word": self.word})


def _checked(name: str, context: Any, word: str) -> Sequence[float]:
    """Return the word's vector in a context. Raise ContentError if the context is not valid."""
    known = {"tokens", "x", "name"}
    of_it = {"name": name, "word": word}
    if not isinstance(context, Mapping) or not {"tokens", "x"} <= set(context) <= known:
        raise ContentError(
            _("%(name)s needs tokens and x, and may have a name, but nothing else") % of_it
        )
    check_words(_("tokens of %(name)s") % of_it, context["tokens"])
    check_matrix(_("x of %(name)s") % of_it, context["x"])
    if len(context["x"]) != len(context["tokens"]):
        message = _("%(name)s needs one row in x for each token; it has %(rows)s for %(tokens)s")
        sizes = {"tokens": len(context["tokens"]), "rows": len(context["x"])}
        raise ContentError(message % {**of_it, **sizes})
    if word not in context["tokens"]:
        raise ContentError(_("“%(word)s” isn’t among the tokens of %(name)s") % of_it)
    if "name" in context:
        check_text(_("name of %(name)s") % of_it, context["name"])
    return _vector(context, word)


def _vector(context: Mapping[str, Any], word: str) -> Sequence[float]:
    return context["x"][context["tokens"].index(word)]


@dataclass(frozen=True)
class Read:
    """A sentence of T tokens of d numbers, with attention from one word's place.

    x is (T, d); raw and scaled scores and weights are (1, T), the output is (1, d).
    """

    name: str
    tokens: Sequence[str]
    place: int
    x: np.ndarray
    raw: np.ndarray
    scores: np.ndarray
    weights: np.ndarray
    output: np.ndarray


def _read(given: TwoContexts) -> list[Read]:
    read = []
    for letter, context in zip("AB", given.contexts, strict=True):
        place = context["tokens"].index(given.word)
        x = np.asarray(context["x"], dtype=float)
        scale = None if given.scale else 1.0
        scores = attention_scores(x[[place]], x, scale=scale)
        read.append(
            Read(
                name=context.get("name", _("Context %(letter)s") % {"letter": letter}),
                tokens=[str(token) for token in context["tokens"]],
                place=place,
                x=x,
                raw=attention_scores(x[[place]], x, scale=1.0),
                scores=scores,
                weights=softmax(scores),
                output=attention(x[[place]], x, x, scale=scale),
            )
        )
    return read


def draw(given: TwoContexts) -> SafeString:
    sentences = _read(given)
    vector = _vector(given.contexts[0], given.word)
    alike = cosine_similarity(*(read.output[0] for read in sentences))
    return render_template(
        "two_contexts",
        {
            "word": given.word,
            "scaled": given.scale,
            "decimals": given.decimals,
            "before": number_matrix(
                vector,
                caption=_("“%(word)s” before attention, in both sentences") % {"word": given.word},
            ),
            "contexts": [_shown(given, read) for read in sentences],
            "alike_before": format_number(float(cosine_similarity(vector, vector)), given.decimals),
            "alike_after": format_number(float(alike), given.decimals),
        },
        given,
    )


def _shown(given: TwoContexts, read: Read) -> dict[str, Any]:
    words = {"word": given.word}
    vectors = number_matrix(read.x, caption=_("Vectors X = Q = K = V"), rows=read.tokens)
    looks = Matrix(
        _("Where “%(word)s” looks") % words,
        tuple(
            (
                Cell(format_number(score, given.decimals), score),
                Cell(format_number(weight, given.decimals), weight, heat_level(weight)),
            )
            for score, weight in zip(read.scores[0].tolist(), read.weights[0].tolist(), strict=True)
        ),
        tuple(read.tokens),
        (_("Scaled score") if given.scale else _("Score"), _("Weight")),
    )
    after = number_matrix(
        read.output[0], caption=_("“%(word)s” after attention") % words, decimals=given.decimals
    )
    return {
        "name": read.name,
        "tokens": read.tokens,
        "place": read.place,
        "vectors": name_after_sentence(read.tokens, vectors),
        "looks": name_after_sentence(read.tokens, looks),
        "after": name_after_sentence(read.tokens, after),
    }


def sheet(given: TwoContexts) -> list[Block]:
    sentences = _read(given)
    a, b = "{output_a}", "{output_b}"
    alike = cosine_similarity(*(read.output[0] for read in sentences))
    return [
        switch_block("scaled", _("Divide by √d_k: 1 for yes, 0 for no"), given.scale),
        *_blocks("a", given.word, sentences[0]),
        *_blocks("b", given.word, sentences[1]),
        Block(
            name="alike",
            title=_("How alike the two outputs are, by their cosine"),
            values=[[float(alike)]],
            formula=f"SUMPRODUCT({a},{b})/SQRT(SUMSQ({a})*SUMSQ({b}))",
        ),
    ]


def _blocks(letter: str, word: str, read: Read) -> list[Block]:
    x, query = f"{{x_{letter}}}", f"INDEX({{x_{letter}}},{read.place + 1},0)"
    row = {"rows": [word], "columns": read.tokens}
    return [
        Block(
            name=f"x_{letter}", title=f"{read.name}: X = Q = K = V", values=read.x, rows=read.tokens
        ),
        Block(
            name=f"raw_{letter}",
            title=_("Scores"),
            values=read.raw,
            formula=f"MMULT({query},TRANSPOSE({x}))",
            **row,
        ),
        Block(
            name=f"scores_{letter}",
            title=_("Scaled scores"),
            values=read.scores,
            formula=f"{{raw_{letter}}}/IF({{scaled}}=1,SQRT(COLUMNS({x})),1)",
            **row,
        ),
        *softmax_blocks(f"scores_{letter}", read.scores, read.weights, suffix=f"_{letter}", **row),
        Block(
            name=f"output_{letter}",
            title=_("“%(word)s” after attention") % {"word": word},
            values=read.output,
            rows=[word],
            formula=f"MMULT({{weights_{letter}}},{x})",
        ),
    ]


WIDGET = Widget(
    about=gettext_lazy("Both sentences side by side: where the word looks, and what it becomes."),
    example="""
word: mouse
contexts:
- name: with a cat
  tokens: [cat, chased, mouse]
  x: [[2, 0], [0, 1], [1, 1]]
- name: with a keyboard
  tokens: [keyboard, and, mouse]
  x: [[0, 2], [0, 0], [1, 1]]
""",
    parameters=TwoContexts,
    draw=draw,
    sheet=sheet,
)
