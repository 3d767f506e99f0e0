"""What the page shows of a reading: every number is the core's, put into tables and maps."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from attention_core.machine.effects import effects_of_tokens, moved
from attention_core.machine.model import Change, Reading, machine
from attention_core.machine.words import VOCABULARY
from attention_core.machine.writing import write
from design.matrix import Matrix, heat_level, number_matrix, number_text
from lessons.machine.forms import heads_by_name
from lessons.widget import DECIMALS
from lessons.widgets.attention_map import attention_html

NEXT = 10
# Weights as they are stored and sent elsewhere: more figures would be sent than seen.
_SENT = 4


@dataclass(frozen=True)
class Token:
    """A token, and the number by which its embedding is found."""

    text: str
    number: int


@dataclass(frozen=True)
class SmallMap:
    """One head's map in little: its squares that are not blank, as column, row and heat."""

    name: str
    key: str
    says: str
    size: int
    squares: list[tuple[int, int, int]]


@dataclass(frozen=True)
class Word:
    """One word that was written, with what it cost to keep the words before it."""

    text: str
    probability: str
    cached: int
    bytes: int


@dataclass(frozen=True)
class Taken:
    """What came of taking something away."""

    moved: str
    table: Matrix


@dataclass(frozen=True)
class Shown:
    """All of the page that depends on the sentence."""

    tokens: list[Token]
    maps: list[SmallMap]
    heads: SafeString
    next: Matrix
    written: list[Word]
    a_token: int
    taken: Taken | None
    effects: Matrix


def shown(tokens: tuple[str, ...], asked: dict[str, Any]) -> Shown:
    """What the machine makes of these tokens."""
    reading = machine().read(tokens)
    drawing = {
        "temperature": asked["temperature"] or 1.0,
        "top_k": asked["top_k"],
        "top_p": asked["top_p"],
    }
    written = _written(tokens, drawing, asked["seed"] or 0)
    return Shown(
        tokens=[Token(word, VOCABULARY.index(word)) for word in tokens],
        maps=_small_maps(reading),
        heads=_map(reading, asked["head"]),
        next=_next(reading, drawing),
        written=written,
        a_token=written[0].bytes // written[0].cached,
        taken=_taken(reading, asked),
        effects=_effects(tokens),
    )


def _small_maps(reading: Reading) -> list[SmallMap]:
    maps = []
    for (n, head), name in heads_by_name().items():
        weights = reading.weights[n, head]
        heat = [(s, t, heat_level(w)) for (t, s), w in np.ndenumerate(weights)]
        most = int(weights[-1].argmax())
        says = _("“%(word)s” looks most at “%(most)s”: %(weight)s") % {
            "word": reading.tokens[-1],
            "most": reading.tokens[most],
            "weight": number_text(float(weights[-1, most]), 2),
        }
        blank = [square for square in heat if square[2]]
        maps.append(SmallMap(name, f"{n}.{head}", says, len(weights), blank))
    return maps


def _map(reading: Reading, first: str) -> SafeString:
    """The large map, of the head that was chosen or of the first; its script offers the others."""
    names = heads_by_name()
    order = sorted(names, key=lambda place: f"{place[0]}.{place[1]}" != first)
    return attention_html(
        reading.tokens,
        [(names[place], reading.weights[place].round(_SENT).tolist()) for place in order],
        chosen=len(reading.tokens) - 1,
    )


def _next(reading: Reading, drawing: dict[str, Any]) -> Matrix:
    plain, drawn_by = reading.probabilities(), reading.probabilities(**drawing)
    likeliest = np.argsort(-plain, kind="stable")[:NEXT]
    return number_matrix(
        np.stack([plain, drawn_by], axis=-1)[likeliest],
        caption=_("The likeliest next words"),
        rows=[VOCABULARY[word] for word in likeliest],
        columns=[_("probability"), _("drawn with")],
        decimals=DECIMALS,
        heat=True,
    )


def _written(tokens: tuple[str, ...], drawing: dict[str, Any], seed: int) -> list[Word]:
    return [
        Word(
            text=step.word,
            probability=number_text(
                float(step.probabilities[VOCABULARY.index(step.word)]), DECIMALS
            ),
            cached=step.cached,
            bytes=step.cache_bytes,
        )
        for step in write(machine(), tokens, seed=seed, **drawing)
    ]


def _taken(reading: Reading, asked: dict[str, Any]) -> Taken | None:
    if not (asked["silent"] or asked["empty"] or asked["swapped"]):
        return None
    tokens, change = list(reading.tokens), Change()
    if asked["swapped"]:
        tokens[int(asked["swapped"])] = asked["other"]
    if asked["empty"]:
        change = machine().every_value(int(asked["empty"]))
    if asked["silent"]:
        n, head = map(int, asked["silent"].split("."))
        change = Change(heads=frozenset({(n, head)}), values=change.values)
    before = reading.probabilities()
    after = machine().read(tokens, change=change).probabilities()
    words = np.argsort(-np.maximum(before, after), kind="stable")[:NEXT]
    table = number_matrix(
        np.stack([before, after], axis=-1)[words],
        caption=_("The next word, before and after"),
        rows=[VOCABULARY[word] for word in words],
        columns=[_("before"), _("after")],
        decimals=DECIMALS,
        heat=True,
    )
    return Taken(number_text(100 * float(moved(before, after)), 1), table)


def _effects(tokens: tuple[str, ...]) -> Matrix:
    weights, moves = effects_of_tokens(machine(), tokens)
    return number_matrix(
        np.stack([weights, moves], axis=-1),
        caption=_("Weight and effect of each word"),
        rows=tokens,
        columns=[_("weight"), _("effect")],
        decimals=DECIMALS,
        heat=True,
    )
