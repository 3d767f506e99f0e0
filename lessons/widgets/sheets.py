"""What a widget calculates, as blocks of numbers and formulas that a learner can take along."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from django.utils.translation import gettext as _

from attention_core import attention_scores, softmax, softmax_parts
from attention_core.maths.vectors import cosine_similarity
from lessons.markdown.parameters import read_parameters
from lessons.widgets.attention_map import Attention, named_weights
from lessons.widgets.attention_steps import AttentionSteps, Steps
from lessons.widgets.heat_matrix import HeatMatrix
from lessons.widgets.two_contexts import TwoContexts

type Numbers = Sequence[Sequence[float]] | np.ndarray


@dataclass(frozen=True, kw_only=True)
class Block:
    """One step: a matrix that is typed in or, with a formula, computed.

    A formula names other blocks in braces, `{q}`, and gives the whole matrix at once; with
    `row_by_row` it gives one row, and of each block it names that row is meant.
    """

    name: str
    title: str
    values: Numbers
    rows: Sequence[str] = ()
    columns: Sequence[str] = ()
    formula: str = ""
    row_by_row: bool = False
    heat: bool = False


def names() -> list[str]:
    """The widgets whose calculation can be taken along."""
    return sorted(_SHEETS)


def blocks(name: str, text: str) -> list[Block]:
    """The calculation of the widget with the parameters that the YAML text holds.

    Raises:
        AuthorError: as for `widget.render`.
    """
    kind, make = _SHEETS[name]
    return make(read_parameters(kind, text))


def _attention_steps(given: AttentionSteps) -> list[Block]:
    steps = Steps(given)
    rows = columns = steps.tokens
    if given.x is not None:
        inputs = [
            Block(name="x", title=_("X: queries, keys and values alike"), values=given.x, rows=rows)
        ]
        q = k = v = "{x}"
    else:
        inputs = [
            Block(name="q", title=_("Queries Q"), values=given.q, rows=rows),
            Block(name="k", title=_("Keys K"), values=given.k, rows=rows),
            Block(name="v", title=_("Values V"), values=given.v, rows=rows),
        ]
        q, k, v = "{q}", "{k}", "{v}"
    may_look = np.tri(len(rows)) if given.causal else np.ones((len(rows), len(rows)))
    square = {"rows": rows, "columns": columns}
    return [
        *inputs,
        _switch("scaled", _("Divide by √d_k: 1 for yes, 0 for no"), given.scale),
        _switch("causal", _("Causal mask: 1 for yes, 0 for no"), given.causal),
        Block(name="temperature", title=_("Temperature"), values=[[given.temperature]]),
        Block(
            name="place",
            title=_("Place of each token"),
            values=[[number] for number in range(1, len(rows) + 1)],
            rows=rows,
        ),
        Block(
            name="raw",
            title=_("Scores S = QKᵀ"),
            values=steps.raw,
            formula=f"MMULT({q},TRANSPOSE({k}))",
            **square,
        ),
        Block(
            name="scores",
            title=_("Scaled scores"),
            values=steps.scores,
            formula=f"{{raw}}/IF({{scaled}}=1,SQRT(COLUMNS({k})),1)",
            **square,
        ),
        Block(
            name="may_look",
            title=_("Mask: 1 where a token may look"),
            values=may_look,
            formula="IF(({causal}=1)*(TRANSPOSE({place})>{place}),0,1)",
            **square,
        ),
        *_softmax(
            "scores",
            np.where(may_look == 1, steps.scores, -np.inf),
            steps.weights,
            temperature=given.temperature,
            is_masked=True,
            **square,
        ),
        Block(
            name="output",
            title=_("Output Z = AV"),
            values=steps.output,
            rows=rows,
            formula=f"MMULT({{weights}},{v})",
        ),
    ]


def _two_contexts(given: TwoContexts) -> list[Block]:
    made = [_switch("scaled", _("Divide by √d_k: 1 for yes, 0 for no"), given.scale)]
    outputs = []
    for letter, context in zip("ab", given.contexts, strict=True):
        name = context.get("name", _("Context %(letter)s") % {"letter": letter.upper()})
        tokens = [str(token) for token in context["tokens"]]
        place = context["tokens"].index(given.word)
        x = np.asarray(context["x"], dtype=float)
        raw = attention_scores(x[[place]], x, scale=1.0)
        scores = attention_scores(x[[place]], x, scale=None if given.scale else 1.0)
        weights = softmax(scores)
        outputs.append(weights @ x)
        row = {"rows": [given.word], "columns": tokens}
        query = f"INDEX({{x_{letter}}},{place + 1},0)"
        made += [
            Block(name=f"x_{letter}", title=f"{name}: X = Q = K = V", values=x, rows=tokens),
            Block(
                name=f"raw_{letter}",
                title=_("Scores"),
                values=raw,
                formula=f"MMULT({query},TRANSPOSE({{x_{letter}}}))",
                **row,
            ),
            Block(
                name=f"scores_{letter}",
                title=_("Scaled scores"),
                values=scores,
                formula=f"{{raw_{letter}}}/IF({{scaled}}=1,SQRT(COLUMNS({{x_{letter}}})),1)",
                **row,
            ),
            *_softmax(f"scores_{letter}", scores, weights, suffix=f"_{letter}", **row),
            Block(
                name=f"output_{letter}",
                title=_("“%(word)s” after attention") % {"word": given.word},
                values=outputs[-1],
                rows=[given.word],
                formula=f"MMULT({{weights_{letter}}},{{x_{letter}}})",
            ),
        ]
    a, b = "{output_a}", "{output_b}"
    alike = Block(
        name="alike",
        title=_("How alike the two outputs are, by their cosine"),
        values=[[float(cosine_similarity(outputs[0][0], outputs[1][0]))]],
        formula=f"SUMPRODUCT({a},{b})/SQRT(SUMSQ({a})*SUMSQ({b}))",
    )
    return [*made, alike]


def _heat_matrix(given: HeatMatrix) -> list[Block]:
    labels = {
        "rows": [str(label) for label in given.rows],
        "columns": [str(label) for label in given.columns],
    }
    values = Block(name="values", title=given.caption, values=given.values, **labels)
    if given.apply != "softmax":
        return [values]
    return [values, *_softmax("values", given.values, softmax(given.values), **labels)]


def _attention_map(given: Attention) -> list[Block]:
    words = {"rows": given.words, "columns": given.words}
    return [
        Block(name=f"head_{i}", title=title, values=weights, heat=True, **words)
        for i, (title, weights) in enumerate(named_weights(given))
    ]


_SHEETS: Mapping[str, tuple[type, Callable[[Any], list[Block]]]] = {
    "attention_map": (Attention, _attention_map),
    "attention_steps": (AttentionSteps, _attention_steps),
    "two_contexts": (TwoContexts, _two_contexts),
    "heat_matrix": (HeatMatrix, _heat_matrix),
}


def _switch(name: str, title: str, on: bool) -> Block:
    return Block(name=name, title=title, values=[[int(on)]])


def _softmax(
    scores: str,
    numbers: Numbers,
    weights: Numbers,
    *,
    rows: Sequence[str],
    columns: Sequence[str],
    suffix: str = "",
    temperature: float = 1,
    is_masked: bool = False,
) -> list[Block]:
    """The softmax of each row of a block: the largest, powers of e, their sum, weights.

    `numbers` are what the block holds, −∞ where the mask hides it.
    """
    parts = softmax_parts(numbers, temperature=temperature)
    seen, power = f"{{{scores}}}", f"EXP({{{scores}}}-{{largest{suffix}}})"
    if is_masked:
        seen = f"IF({{may_look}}=1,{seen})"
        power = f"IF({{may_look}}=1,EXP(({{{scores}}}-{{largest{suffix}}})/{{temperature}}),0)"
    return [
        Block(
            name=f"largest{suffix}",
            title=_("Largest score of each row"),
            values=parts.largest,
            rows=rows,
            formula=f"MAX({seen})",
            row_by_row=True,
        ),
        Block(
            name=f"powers{suffix}",
            title=_("e to the power of each score less the largest"),
            values=parts.powers,
            rows=rows,
            columns=columns,
            formula=power,
        ),
        Block(
            name=f"sum{suffix}",
            title=_("Sum of each row"),
            values=parts.sums,
            rows=rows,
            formula=f"SUM({{powers{suffix}}})",
            row_by_row=True,
        ),
        Block(
            name=f"weights{suffix}",
            title=_("Attention weights A"),
            values=weights,
            rows=rows,
            columns=columns,
            formula=f"{{powers{suffix}}}/{{sum{suffix}}}",
            heat=True,
        ),
    ]
