"""Widget: attention step by step, each step with its table and one cell written out."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from attention_core import attention, attention_scores, attention_weights, band_mask
from design.matrix import MINUS, Cell, Matrix, format_number, number_matrix, plain_number
from lessons.errors import ContentError
from lessons.markdown.parameters import (
    check_caption,
    check_decimals,
    check_flag,
    check_labels,
    check_matrix,
    check_place,
    check_temperature,
)
from lessons.widget import DECIMALS, Widget, formula, radio_group_name, render_template
from lessons.widget_data import Block, softmax_blocks, switch_block

# The slider's positions.
TEMPERATURES = (0.1, 0.25, 0.5, 0.75, 1, 1.5, 2, 3, 5, 10)


@dataclass(frozen=True, kw_only=True)
class AttentionSteps:
    """Tokens with their queries, keys and values, and the kind of attention.

    `x` is used for all three if nothing is projected: Q = K = V = X. `show` is the row and the
    column, counted from 1, of the cell that is written out.
    """

    tokens: Sequence[str]
    q: Sequence[Sequence[float]] | None = None
    k: Sequence[Sequence[float]] | None = None
    v: Sequence[Sequence[float]] | None = None
    x: Sequence[Sequence[float]] | None = None
    scale: bool = True
    causal: bool = False
    temperature: float = 1
    caption: str = ""
    show: Sequence[int] = (1, 1)
    decimals: int = DECIMALS

    def __post_init__(self):
        if self.x is not None:
            self._take_x()
        if missing := [name for name in "qkv" if getattr(self, name) is None]:
            message = _("missing: %(names)s, or x in place of q, k and v")
            raise ContentError(message % {"names": ", ".join(missing)})
        check_matrix("q", self.q)
        check_matrix("k", self.k)
        check_matrix("v", self.v)
        if not len(self.q) == len(self.k) == len(self.v):
            raise ContentError(_("q, k and v need one row for each token"))
        if len(self.q[0]) != len(self.k[0]):
            raise ContentError(_("the rows of q and k must be equally long"))
        check_labels("tokens", self.tokens, len(self.q))
        check_flag("scale", self.scale)
        check_flag("causal", self.causal)
        check_temperature("temperature", self.temperature)
        check_decimals("decimals", self.decimals)
        check_place("show", self.show, len(self.q))
        if self.causal and self.show[1] > self.show[0]:
            words = _("the causal mask hides the cell that “show” names; choose another")
            raise ContentError(words)
        check_caption(self.caption)

    def _take_x(self):
        check_matrix("x", self.x)
        if any(getattr(self, name) is not None for name in "qkv"):
            raise ContentError(_("x stands for q, k and v: give either x, or those three"))
        for name in "qkv":
            object.__setattr__(self, name, self.x)  # frozen from here on


def draw(given: AttentionSteps) -> SafeString:
    steps = ShownSteps(given)
    context = {
        "given": given,
        "inputs": [
            number_matrix(values, caption=caption, rows=steps.tokens, given=name)
            for name, caption, values in _inputs(given)
        ],
        "typed": [_typed(radio_group_name(given), steps.tokens, *each) for each in _inputs(given)],
        "temperatures": sorted({*TEMPERATURES, given.temperature}),
        "temperature": format_number(given.temperature),
        "steps": steps.all(),
        "count": sum(not step["hidden"] for step in steps.all()),
        "row": steps.i,
        "column": steps.j,
    }
    return render_template("attention_steps", context, given)


def sheet(given: AttentionSteps) -> list[Block]:
    steps = ShownSteps(given)
    rows = columns = steps.tokens
    q, k, v = ("{x}",) * 3 if given.x is not None else ("{q}", "{k}", "{v}")
    may_look = band_mask(len(rows), len(rows), ahead=0 if given.causal else None)
    square = {"rows": rows, "columns": columns}
    return [
        *(
            Block(name=name, title=caption, values=values, rows=rows)
            for name, caption, values in _inputs(given)
        ),
        switch_block("scaled", _("Divide by √d_k: 1 for yes, 0 for no"), given.scale),
        switch_block("causal", _("Causal mask: 1 for yes, 0 for no"), given.causal),
        Block(name="temperature", title=_("Temperature"), values=[[given.temperature]]),
        Block(
            name="place",
            title=_("Position of each token"),
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
        *softmax_blocks(
            "scores",
            np.where(may_look, steps.scores, -np.inf),
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


type _Input = tuple[str, str, Sequence[Sequence[float]]]


def _inputs(given: AttentionSteps) -> list[_Input]:
    if given.x is not None:
        return [("x", _("X: queries, keys and values alike"), given.x)]
    return [
        ("q", _("Queries Q"), given.q),
        ("k", _("Keys K"), given.k),
        ("v", _("Values V"), given.v),
    ]


def _typed(
    group: str, tokens: Sequence[str], name: str, caption: str, values: Sequence[Sequence[float]]
) -> Matrix:
    """Return the same input as a matrix to type into; pages show it where scripts run."""
    rows = [
        tuple(
            Cell(format_number(value), value, input=f"{group}-{name}-{i}-{j}")
            for j, value in enumerate(row)
        )
        for i, row in enumerate(values)
    ]
    return Matrix(caption, tuple(rows), tuple(tokens), given=name)


class ShownSteps:
    """The steps of one attention; i and j are the row and the column that are written out.

    Steps that are left out, and the texts about them, are there too, hidden: scripts show them.
    """

    def __init__(self, given: AttentionSteps):
        self.given = given
        self.tokens = [str(token) for token in given.tokens]
        self.i, self.j = (number - 1 for number in given.show)
        # How many tokens, from the first on, the written-out row may look at.
        self.seen = self.i + 1 if given.causal else len(self.tokens)
        self.holds = {"scaled": given.scale, "causal": given.causal, "warm": given.temperature != 1}
        scale = len(given.q[0]) ** -0.5 if given.scale else 1.0
        self.raw = attention_scores(given.q, given.k, scale=1.0)
        self.scores = attention_scores(given.q, given.k, scale=scale)
        looking = {"causal": given.causal, "scale": scale / given.temperature}
        self.weights = attention_weights(given.q, given.k, **looking)
        self.output = attention(given.q, given.k, given.v, **looking)

    def all(self) -> list[dict[str, Any]]:
        return [self._score(), self._scale(), self._mask(), self._softmax(), self._blend()]

    def _score(self) -> dict[str, Any]:
        query, key = self.given.q[self.i], self.given.k[self.j]
        place = _("The query of {row} meets the key of {column}")
        return self._step(
            "score",
            _("Score"),
            [self._formula(r"S = QK^\top")],
            [
                self._text(
                    _("Every query meets every key. Multiply dimension by dimension, then add up.")
                )
            ],
            self._matrix(_("Scores S"), self.raw),
            place,
            self._written(
                _sum_of_products(map(plain_number, query), map(plain_number, key)),
                self.raw[self.i, self.j],
            ),
        )

    def _scale(self) -> dict[str, Any]:
        width = len(self.given.q[0])
        place = _("Row {row}, column {column}")
        says = _("Divide every score by √%(width)s, the square root of the width of a key.")
        return self._step(
            "scale",
            _("Scale"),
            [self._formula(r"S / \sqrt{d_k}")],
            [self._text(says % {"width": width})],
            self._matrix(_("Scaled scores"), self.scores),
            place,
            self._written(
                rf"\frac{{{self._number(self.raw[self.i, self.j])}}}{{\sqrt{{{width}}}}}",
                self.scores[self.i, self.j],
            ),
            when="scaled",
        )

    def _mask(self) -> dict[str, Any]:
        may_look = band_mask(len(self.tokens), len(self.tokens), ahead=0)
        rows = [
            tuple(
                Cell(format_number(score, self.given.decimals), score)
                if seen
                else Cell(f"{MINUS}∞", fixed=True)
                for score, seen in zip(scores, sight, strict=True)
            )
            for scores, sight in zip(self.scores.tolist(), may_look, strict=True)
        ]
        place = _("{row} may look at {column}: the score stays")
        return self._step(
            "mask",
            _("Mask"),
            [self._formula(r"s_{ij} = -\infty \text{ where } j > i")],
            [self._text(_("No token may look ahead, so the scores of later tokens are masked."))],
            Matrix(_("Masked scores"), tuple(rows), tuple(self.tokens), tuple(self.tokens)),
            place,
            hides=_("{column} comes after {row}: the score is masked"),
            when="causal",
        )

    def _softmax(self) -> dict[str, Any]:
        tau = "" if self.given.temperature == 1 else f"/{plain_number(self.given.temperature)}"
        powers = [f"e^{{{self._number(s)}{tau}}}" for s in self.scores[self.i, : self.seen]]
        place = _("Row {row}, column {column}")
        return self._step(
            "softmax",
            _("Softmax"),
            [
                self._formula(rf"A = \mathrm{{softmax}}({scores})", when)
                for scores, when in (
                    (r"S / \sqrt{d_k}", "scaled !warm"),
                    (r"S / (\tau \sqrt{d_k})", "scaled warm"),
                    (r"S / \tau", "!scaled warm"),
                    ("S", "!scaled !warm"),
                )
            ],
            [
                self._text(_("Divide by the temperature first."), "warm"),
                self._text(
                    _(
                        "Exponentiate, then divide by the sum of the row. "
                        "Now the weights of a row add up to 1."
                    )
                ),
            ],
            self._matrix(_("Attention weights A"), self.weights, heat=True),
            place,
            self._written(
                rf"\frac{{{powers[self.j]}}}{{{' + '.join(powers)}}}", self.weights[self.i, self.j]
            ),
        )

    def _blend(self) -> dict[str, Any]:
        weights = self.weights[self.i, : self.seen]
        values = [row[0] for row in self.given.v[: self.seen]]
        place = _("Row {row}, dimension {column}")
        return self._step(
            "blend",
            _("Blend"),
            [self._formula("Z = AV")],
            [
                self._text(
                    _("Each token adds up all the values, each times its weight."), "!causal"
                ),
                self._text(
                    _("Each token adds up the values it may see, each times its weight."), "causal"
                ),
            ],
            number_matrix(
                self.output, caption=_("Output Z"), rows=self.tokens, decimals=self.given.decimals
            ),
            place,
            self._written(
                _sum_of_products(map(self._number, weights), map(plain_number, values)),
                self.output[self.i, 0],
            ),
            column="1",
        )

    def _step(
        self,
        name: str,
        title: str,
        formulas: list[dict[str, Any]],
        says: list[dict[str, Any]],
        matrix: Matrix,
        place: str,
        written: SafeString | str = "",
        *,
        column: str = "",
        when: str = "",
        hides: str = "",
    ) -> dict[str, Any]:
        """Return a step with its formulas, the whole table, and one cell written out.

        `place` describes the cell, with the names of its row and column to be filled in; `hides`
        replaces it where a mask hides the cell.
        """
        return {
            "name": name,
            "title": title,
            "formulas": formulas,
            "says": says,
            "matrix": matrix,
            "place": place,
            "cell": place.format(row=self.tokens[self.i], column=column or self.tokens[self.j]),
            "written": written,
            "hides": hides,
            **self._when(when),
        }

    def _matrix(self, caption: str, values: np.ndarray, *, heat: bool = False) -> Matrix:
        return number_matrix(
            values,
            caption=caption,
            rows=self.tokens,
            columns=self.tokens,
            decimals=self.given.decimals,
            heat=heat,
        )

    def _formula(self, latex: str, when: str = "") -> dict[str, Any]:
        return self._text(formula(latex), when)

    def _text(self, text: SafeString | str, when: str = "") -> dict[str, Any]:
        """Return a text that is shown under a condition: "scaled", "warm", or not: "!warm"."""
        return {"text": text, **self._when(when)}

    def _when(self, when: str) -> dict[str, Any]:
        holds = all(self.holds[word.strip("!")] != word.startswith("!") for word in when.split())
        return {"when": when, "hidden": not holds}

    def _number(self, value: float) -> str:
        """Return a number for LaTeX; `formula` then uses the language's notation."""
        text = f"{value:.{self.given.decimals}f}"
        return text if text.strip("-0.") else text.removeprefix("-")

    def _written(self, calculation: str, result: float) -> SafeString:
        """Return one cell's calculation with the result below it: narrow enough for a phone."""
        rounded = self._number(result)
        sign = "=" if abs(float(rounded) - result) < 1e-12 else r"\approx"
        return formula(
            rf"\begin{{aligned}} &{calculation} \\ {sign}\; & {rounded} \end{{aligned}}",
            display=True,
        )


def _sum_of_products(left: Iterable[str], right: Iterable[str]) -> str:
    """Return a₁·b₁ + a₂·b₂ + … in LaTeX, with negative numbers in brackets."""
    return " + ".join(
        rf"{_bracketed(a)} \cdot {_bracketed(b)}" for a, b in zip(left, right, strict=True)
    )


def _bracketed(number: str) -> str:
    return f"({number})" if number.startswith("-") else number


WIDGET = Widget(
    about=gettext_lazy(
        "Scaled dot-product attention from Q, K and V to the output, each step with its table."
    ),
    example="""
tokens: [Thinking, Machines]
q: [[0.9, 0.2, 0.5], [0.1, 0.8, 0.4]]
k: [[0.8, 0.1, 0.6], [0.2, 0.9, 0.3]]
v: [[0.5, 0.2], [0.7, 0.9]]
show: [1, 2]
""",
    parameters=AttentionSteps,
    draw=draw,
    sheet=sheet,
)
