"""Presenters of a reading: they put the core's numbers into tables and maps."""

from typing import Any

import numpy as np
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from attention_core.machine.effects import effects_of_tokens, probability_moved
from attention_core.machine.lens import lens
from attention_core.machine.model import Change, Reading, machine
from attention_core.machine.words import VOCABULARY
from attention_core.machine.writing import write
from attention_core.maths.arrays import Array
from design.matrix import Matrix, format_number, number_matrix
from lessons.machine.head_numbers import head_score
from lessons.machine.heads import heads_by_name
from lessons.machine.small_map import small_map
from lessons.machine.training import replay_at_step
from lessons.widget import DECIMALS
from lessons.widgets.attention_map import attention_html

NEXT = 10
# The word to which a head gives at least half of its weight, on average over sentences that have
# such a word; docs/machine.md has all measurements. Most heads have none.
TARGETS = {
    (2, 0): (gettext_lazy("who a pronoun refers to"),),
    (2, 2): (
        gettext_lazy("the word to repeat"),
        gettext_lazy("who a pronoun refers to"),
        gettext_lazy("a verb’s subject"),
        gettext_lazy("the cause"),
        gettext_lazy("the city someone lives in"),
        gettext_lazy("the thing the giver has"),
    ),
    (2, 3): (
        gettext_lazy("the cause"),
        gettext_lazy("the word to repeat"),
        gettext_lazy("the city someone lives in"),
        gettext_lazy("the thing the giver has"),
    ),
}


def reading_context(tokens: tuple[str, ...], asked: dict[str, Any]) -> dict[str, Any]:
    """Return everything that the page shows of the machine's reading of these tokens."""
    reading = machine().read(tokens)
    drawing = {
        "temperature": asked["temperature"] or 1.0,
        "top_k": asked["top_k"],
        "top_p": asked["top_p"],
    }
    written = _written(tokens, drawing, asked["seed"] or 0)
    return {
        "tokens": [{"text": word, "number": VOCABULARY.index(word)} for word in tokens],
        "maps": _small_maps(reading),
        "job": _job(asked["head"]),
        "heads": _map(reading, asked["head"]),
        "scored": head_score(reading, asked),
        "stages": _stages(),
        "lens": _lens(reading),
        "likeliest": _likeliest(reading.probabilities()),
        "next": _next(reading, drawing),
        "written": written,
        "a_token": written[0]["bytes"] // written[0]["cached"],
        "taken": _taken(reading, asked),
        "effects": _effects(tokens),
        "replayed": replay_at_step(asked),
    }


def _small_maps(reading: Reading) -> list[dict[str, Any]]:
    maps = []
    for (n, head), name in heads_by_name().items():
        weights = reading.weights[n, head]
        most = int(weights[-1].argmax())
        says = _("“%(word)s” looks most at “%(most)s”: %(weight)s") % {
            "word": reading.tokens[-1],
            "most": reading.tokens[most],
            "weight": format_number(float(weights[-1, most]), 2),
        }
        if sought := TARGETS.get((n, head)):
            says = _("%(says)s. Often finds %(sought)s") % {"says": says, "sought": sought[0]}
        maps.append(small_map(name, weights, key=f"{n}.{head}", says=says))
    return maps


def _job(head: str) -> str:
    """Return a sentence on what the chosen head looks for, if that is known."""
    layer, number = map(int, head.split("."))
    sought = TARGETS.get((layer, number))
    if not sought:
        return _(
            "%(head)s: we don’t know what it looks for. No description we’ve tried fits many"
            " sentences."
        ) % {"head": heads_by_name()[layer, number]}
    return _(
        "%(head)s: over many sentences, most of its weight goes to what it looks for (%(sought)s)."
        " In a single sentence it may look elsewhere."
    ) % {"head": heads_by_name()[layer, number], "sought": ", ".join(map(str, sought))}


def _stages() -> list[str]:
    after = [_("after layer %(layer)s") % {"layer": n} for n in range(len(machine().layers))]
    return [_("before layer 0"), *after]


def _lens(reading: Reading) -> list[dict[str, Any]]:
    """Return the next word by each token's stream: before the first layer, and after each."""
    found = lens(machine(), reading)
    words, most = found.argmax(axis=-1).T.tolist(), found.max(axis=-1).T.tolist()
    return [
        {
            "token": token,
            "after": [
                {
                    "word": VOCABULARY[word],
                    "probability": format_number(share, 2),
                    "final": word == row[0][-1],  # the machine's final answer
                }
                for word, share in zip(*row, strict=True)
            ],
        }
        for token, *row in zip(reading.tokens, words, most, strict=True)
    ]


def _map(reading: Reading, head: str) -> SafeString:
    """Return the large map of the chosen head; the small ones lead to the others."""
    layer, number = map(int, head.split("."))
    return attention_html(
        reading.tokens,
        [(heads_by_name()[layer, number], reading.weights[layer, number].tolist())],
        chosen=len(reading.tokens) - 1,
    )


def _likeliest(plain: Array) -> str:
    """Return the three likeliest next words with their probabilities."""
    return ", ".join(
        _("“%(word)s” (%(probability)s)")
        % {"word": VOCABULARY[word], "probability": format_number(float(plain[word]), 2)}
        for word in np.argsort(-plain, kind="stable")[:3]
    )


def _next(reading: Reading, drawing: dict[str, Any]) -> Matrix:
    plain, drawn_by = reading.probabilities(), reading.probabilities(**drawing)
    likeliest = np.argsort(-plain, kind="stable")[:NEXT]
    return number_matrix(
        np.stack([plain, drawn_by], axis=-1)[likeliest],
        caption=_("The likeliest next words"),
        rows=[VOCABULARY[word] for word in likeliest],
        columns=[_("probability"), _("probability when drawn")],
        decimals=DECIMALS,
        heat=True,
    )


def _written(tokens: tuple[str, ...], drawing: dict[str, Any], seed: int) -> list[dict[str, Any]]:
    """Return the words that were written, each with the cost of caching the words before it."""
    return [
        {
            "text": step.word,
            "probability": format_number(
                float(step.probabilities[VOCABULARY.index(step.word)]), DECIMALS
            ),
            "cached": step.cached,
            "bytes": step.cache_bytes,
        }
        for step in write(machine(), tokens, seed=seed, **drawing)
    ]


def _taken(reading: Reading, asked: dict[str, Any]) -> dict[str, Any] | None:
    """Return the effect of taking something away, or None if nothing is."""
    if not (asked["silent"] or asked["empty"] or asked["swapped"]):
        return None
    tokens, change = list(reading.tokens), Change()
    if asked["swapped"]:
        tokens[int(asked["swapped"])] = asked["other"]
    if asked["empty"]:
        change = machine().empty_token(int(asked["empty"]))
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
    share = format_number(100 * float(probability_moved(before, after)), 1)
    return {"moved": share, "likeliest": _likeliest(after), "table": table}


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
