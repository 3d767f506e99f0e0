"""The widgets of lessons: parameters in YAML, HTML out. The only door to `attention_core`.

A widget is a function from its parameters to HTML, registered under its name. Every number that
it shows beyond its parameters is computed by the core.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from django.template.loader import render_to_string
from django.utils.safestring import SafeString, mark_safe

from attention_core import attention, attention_scores, attention_weights, softmax
from lessons.errors import AuthorError
from lessons.mathml import mathml
from lessons.parameters import (
    must_be_decimals,
    must_be_flag,
    must_be_labels,
    must_be_matrix,
    must_be_place,
    must_be_range,
    must_be_text,
    read_parameters,
)
from look.matrix import MINUS, Cell, Matrix, number_matrix, number_text, plain_number

DECIMALS = 3

_widgets: dict[str, Callable[[Any], SafeString]] = {}


def names() -> list[str]:
    """The names that a fenced block may bear."""
    return sorted(_widgets)


def render(name: str, text: str) -> SafeString:
    """The widget with the parameters that the YAML text holds.

    Raises:
        AuthorError: the YAML or a parameter is wrong; its line, if any, counts within the text.
    """
    draw = _widgets[name]
    return draw(read_parameters(draw.__annotations__["given"], text))


def widget(draw: Callable[[Any], SafeString]) -> Callable[[Any], SafeString]:
    """Register a widget under its function's name; its annotation says what it takes."""
    _widgets[draw.__name__] = draw
    return draw


@dataclass(frozen=True, kw_only=True)
class HeatMatrix:
    """The numbers, their labels, and the range over which they are shown from pale to deep."""

    caption: str
    values: Sequence[Sequence[float]]
    rows: Sequence[str] = ()
    columns: Sequence[str] = ()
    decimals: int | None = None
    heat: Sequence[float] | bool = True
    apply: str = ""

    def __post_init__(self):
        must_be_text("caption", self.caption)
        must_be_matrix("values", self.values)
        if self.rows != ():
            must_be_labels("rows", self.rows, len(self.values))
        if self.columns != ():
            must_be_labels("columns", self.columns, len(self.values[0]))
        if self.decimals is not None:
            must_be_decimals("decimals", self.decimals)
        if not isinstance(self.heat, bool):
            must_be_range("heat", self.heat)
        if self.apply not in ("", "softmax"):
            raise AuthorError("apply can only be softmax, which is applied to each row")


@widget
def heat_matrix(given: HeatMatrix) -> SafeString:
    """Any named matrix as a labelled heat table, or the softmax of its rows."""
    values, decimals = given.values, given.decimals
    if given.apply == "softmax":
        values = softmax(values).tolist()
        decimals = DECIMALS if decimals is None else decimals
    shown = number_matrix(
        values,
        caption=given.caption,
        rows=[str(label) for label in given.rows],
        columns=[str(label) for label in given.columns],
        decimals=decimals,
        heat=given.heat if isinstance(given.heat, bool) else tuple(given.heat),
    )
    return _html("heat_matrix", {"matrix": shown})


@dataclass(frozen=True, kw_only=True)
class AttentionSteps:
    """Tokens with their queries, keys and values, and which attention is meant.

    `show` is the row and the column, counted from 1, of the cell that is written out.
    """

    tokens: Sequence[str]
    q: Sequence[Sequence[float]]
    k: Sequence[Sequence[float]]
    v: Sequence[Sequence[float]]
    scale: bool = True
    causal: bool = False
    show: Sequence[int] = (1, 1)
    decimals: int = DECIMALS

    def __post_init__(self):
        must_be_matrix("q", self.q)
        must_be_matrix("k", self.k)
        must_be_matrix("v", self.v)
        if not len(self.q) == len(self.k) == len(self.v):
            raise AuthorError("q, k and v need one row for each token")
        if len(self.q[0]) != len(self.k[0]):
            raise AuthorError("the rows of q and k must be equally long")
        must_be_labels("tokens", self.tokens, len(self.q))
        must_be_flag("scale", self.scale)
        must_be_flag("causal", self.causal)
        must_be_decimals("decimals", self.decimals)
        must_be_place("show", self.show, len(self.q))
        if self.causal and self.show[1] > self.show[0]:
            raise AuthorError("show is a cell that the causal mask hides")


@widget
def attention_steps(given: AttentionSteps) -> SafeString:
    """Scaled dot-product attention from Q, K and V to the output, each step with its table."""
    tokens = [str(token) for token in given.tokens]
    inputs = [
        number_matrix(values, caption=caption, rows=tokens)
        for caption, values in (
            ("Queries Q", given.q),
            ("Keys K", given.k),
            ("Values V", given.v),
        )
    ]
    return _html("attention_steps", {"inputs": inputs, "steps": _Steps(given, tokens).all()})


@dataclass(frozen=True)
class Step:
    """One step as the page shows it: its formula, the whole table, and one cell written out."""

    title: str
    formula: SafeString
    says: str
    matrix: Matrix
    cell: str = ""
    written: SafeString | str = ""


class _Steps:
    """The steps of one attention; i and j are the row and the column that are written out."""

    def __init__(self, given: AttentionSteps, tokens: Sequence[str]):
        self.given = given
        self.tokens = tokens
        self.i, self.j = (number - 1 for number in given.show)
        # How many tokens, from the first on, the written-out row may look at.
        self.seen = self.i + 1 if given.causal else len(tokens)
        scale = None if given.scale else 1.0
        self.raw = attention_scores(given.q, given.k, scale=1.0)
        self.scores = attention_scores(given.q, given.k, scale=scale)
        self.weights = attention_weights(given.q, given.k, causal=given.causal, scale=scale)
        self.output = attention(given.q, given.k, given.v, causal=given.causal, scale=scale)

    def all(self) -> list[Step]:
        return [
            self._score(),
            *([self._scale()] if self.given.scale else []),
            *([self._mask()] if self.given.causal else []),
            self._softmax(),
            self._blend(),
        ]

    def _score(self) -> Step:
        query, key = self.given.q[self.i], self.given.k[self.j]
        return Step(
            "Score",
            _math(r"S = QK^\top"),
            "Every query meets every key: multiply place by place, then add up.",
            self._matrix("Scores S", self.raw),
            f"The query of {self.tokens[self.i]} meets the key of {self.tokens[self.j]}",
            self._written(
                _sum_of_products(map(plain_number, query), map(plain_number, key)),
                self.raw[self.i, self.j],
            ),
        )

    def _scale(self) -> Step:
        width = len(self.given.q[0])
        return Step(
            "Scale",
            _math(r"S / \sqrt{d_k}"),
            f"Divide every score by the square root of the width of a key, here {width}.",
            self._matrix("Scaled scores", self.scores),
            self._place(),
            self._written(
                rf"\frac{{{self._number(self.raw[self.i, self.j])}}}{{\sqrt{{{width}}}}}",
                self.scores[self.i, self.j],
            ),
        )

    def _mask(self) -> Step:
        may_look = np.tri(len(self.tokens), dtype=bool)
        rows = [
            tuple(
                Cell(number_text(score, self.given.decimals), score)
                if seen
                else Cell(f"{MINUS}∞", fixed=True)
                for score, seen in zip(scores, sight, strict=True)
            )
            for scores, sight in zip(self.scores.tolist(), may_look, strict=True)
        ]
        return Step(
            "Mask",
            _math(r"s_{ij} = -\infty \text{ where } j > i"),
            "No token may look ahead: the scores of later tokens are struck out.",
            Matrix("Masked scores", tuple(rows), tuple(self.tokens), tuple(self.tokens)),
        )

    def _softmax(self) -> Step:
        powers = [f"e^{{{self._number(s)}}}" for s in self.scores[self.i, : self.seen]]
        return Step(
            "Softmax",
            _math(
                r"A = \mathrm{softmax}(S / \sqrt{d_k})"
                if self.given.scale
                else r"A = \mathrm{softmax}(S)"
            ),
            "Exponentiate, then divide by the sum of the row: the weights of a row add up to 1.",
            self._matrix("Attention weights A", self.weights, heat=True),
            self._place(),
            self._written(
                rf"\frac{{{powers[self.j]}}}{{{' + '.join(powers)}}}", self.weights[self.i, self.j]
            ),
        )

    def _blend(self) -> Step:
        weights = self.weights[self.i, : self.seen]
        values = [row[0] for row in self.given.v[: self.seen]]
        return Step(
            "Blend",
            _math("Z = AV"),
            "Each token takes all the values"
            + (" it may see" if self.given.causal else "")
            + ", each by its weight.",
            number_matrix(
                self.output, caption="Output Z", rows=self.tokens, decimals=self.given.decimals
            ),
            f"Row {self.tokens[self.i]}, first place",
            self._written(
                _sum_of_products(map(self._number, weights), map(plain_number, values)),
                self.output[self.i, 0],
            ),
        )

    def _matrix(self, caption: str, values: np.ndarray, *, heat: bool = False) -> Matrix:
        return number_matrix(
            values,
            caption=caption,
            rows=self.tokens,
            columns=self.tokens,
            decimals=self.given.decimals,
            heat=heat,
        )

    def _place(self) -> str:
        return f"Row {self.tokens[self.i]}, column {self.tokens[self.j]}"

    def _number(self, value: float) -> str:
        return number_text(value, self.given.decimals).replace(MINUS, "-")

    def _written(self, calculation: str, result: float) -> SafeString:
        """One cell's calculation, and below it the result: narrow enough for a phone."""
        rounded = self._number(result)
        sign = "=" if abs(float(rounded) - result) < 1e-12 else r"\approx"
        return _math(
            rf"\begin{{aligned}} &{calculation} \\ {sign}\; & {rounded} \end{{aligned}}",
            display=True,
        )


def _sum_of_products(left: Iterable[str], right: Iterable[str]) -> str:
    """a₁·b₁ + a₂·b₂ + … in LaTeX, negative numbers in brackets."""
    return " + ".join(
        rf"{_bracketed(a)} \cdot {_bracketed(b)}" for a, b in zip(left, right, strict=True)
    )


def _bracketed(number: str) -> str:
    return f"({number})" if number.startswith("-") else number


def _html(name: str, context: Mapping[str, Any]) -> SafeString:
    return render_to_string(f"lessons/widgets/{name}.html", dict(context))


def _math(latex: str, *, display: bool = False) -> SafeString:
    """A formula of ours, with numbers of ours: it needs no sanitising."""
    return mark_safe(mathml(latex, display=display))
