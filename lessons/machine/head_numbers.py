"""One head in numbers: its queries, keys and values, and the parts of one score."""

from typing import Any

import numpy as np
from django.utils.translation import gettext as _

from attention_core.machine.model import Reading
from attention_core.machine.scoring import score, score_maps
from attention_core.maths.arrays import Array
from design.matrix import Cell, Matrix, format_number, heat_level, number_matrix
from lessons.machine.heads import heads_by_name
from lessons.machine.small_map import small_map
from lessons.widget import DECIMALS

_PLACES = 2


def head_score(reading: Reading, asked: dict[str, Any]) -> dict[str, Any]:
    """Return how one token's query meets another's key in the chosen head.

    The default is the last token and the one that it looks at most. `stages` are the head's maps
    from dot products to weights, in which `line` and `column` mark the score; `vectors` are Q, K
    and V, only on request, because they are a thousand numbers.
    """
    n, head = map(int, asked["head"].split("."))
    layer, tokens = reading.layers[n], reading.tokens
    at = int(asked["at"] or len(tokens) - 1)
    to = int(asked["to"] or layer.weights[head, at].argmax())
    found = score(reading, n, head, at, to)
    names = {"at": f"{at}: {tokens[at]}", "to": f"{to}: {tokens[to]}"}
    return {
        "head": heads_by_name()[n, head],
        **names,
        "line": at,
        "column": to,
        "stages": _stages(reading, n, head, (at, to)),
        "vectors": [
            _vectors(name, vectors[head], tokens)
            for name, vectors in (
                (_("Q, the queries"), layer.Q),
                (_("K, the keys"), layer.K),
                (_("V, the values"), layer.V),
            )
            if asked["vectors"]
        ],
        "products": number_matrix(
            np.stack([found.q, found.k, found.products], axis=-1),
            caption=_("q · k, dimension by dimension"),
            rows=[str(place + 1) for place in range(len(found.q))],
            columns=["q", "k", "q × k"],
            decimals=DECIMALS,
        ),
        "dot": format_number(found.dot, DECIMALS),
        "root": format_number(found.root),
        "score": format_number(found.score, DECIMALS),
        "weight": format_number(found.weight, DECIMALS),
        "hidden": found.hidden,
        "row": _row(layer.scores[head, at], layer.weights[head, at], at, tokens),
    }


def _stages(reading: Reading, n: int, head: int, one: tuple[int, int]) -> list[dict[str, Any]]:
    """Return maps of dot products, masked scores in the same colours, and weights."""
    dots, masked, weights = score_maps(reading, n, head)
    of_dots = float(dots.min()), float(dots.max())
    drawn = (
        (_("Dot products"), dots, of_dots),
        (_("Scaled and masked"), masked, of_dots),
        (_("Softmax of each row"), weights, (0.0, 1.0)),
    )
    return [
        small_map(name, values, says=format_number(float(values[one]), DECIMALS), within=within)
        for name, values, within in drawn
    ]


def _vectors(caption: str, vectors: Array, tokens: tuple[str, ...]) -> Matrix:
    """Return (T, d_k) vectors as a matrix; blank is its lowest number, deep its highest."""
    return number_matrix(
        vectors,
        caption=caption,
        rows=tokens,
        decimals=_PLACES,
        heat=(float(vectors.min()), float(vectors.max())),
    )


def _row(scores: Array, weights: Array, at: int, tokens: tuple[str, ...]) -> Matrix:
    """Return all scores of one token with their softmax; later tokens are masked."""
    return Matrix(
        caption=_("The scores of “%(word)s”, and their softmax") % {"word": tokens[at]},
        rows=tuple(
            (
                Cell(format_number(-np.inf), fixed=True)
                if to > at
                else Cell(format_number(float(scores[to]), DECIMALS), float(scores[to])),
                Cell(
                    format_number(float(weights[to]), DECIMALS),
                    float(weights[to]),
                    heat_level(float(weights[to])),
                ),
            )
            for to in range(len(tokens))
        ),
        row_labels=tokens,
        column_labels=(_("score"), _("weight")),
    )
