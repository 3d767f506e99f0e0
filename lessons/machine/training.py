"""The machine's training, replayed: as built and with a part left out, side by side."""

import json
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from attention_core.machine.replays import AS_BUILT, Replay, replay
from attention_core.maths.arrays import Array
from design.matrix import format_number
from lessons.machine.small_map import heats, small_map

NAMES = {
    AS_BUILT: gettext_lazy("As built"),
    "without_the_scale": gettext_lazy("Without the scale"),
    "without_the_mask": gettext_lazy("Without the mask"),
    "without_positions": gettext_lazy("Without positions"),
}
_DECIMALS = 2
# The box of a chart; a tenth of a unit is less than a pixel.
WIDTH, HEIGHT = 320, 140


def replay_at_step(asked: dict[str, Any]) -> dict[str, Any]:
    """Return the maps of one head on one sentence after one step, in every run."""
    whole = replay(AS_BUILT)
    which, step = int(asked["replayed"]), int(asked["step"])
    n, head = map(int, asked["watched"].split("."))
    place = whole.kept_at(step)
    last = int(whole.kept[-1])
    return {
        "sentence": " ".join(whole.sentences[which]),
        "step": str(step),
        "place": place,
        "steps": [str(kept) for kept in whole.kept.tolist()],
        "marks": " ".join(_point(kept / last * WIDTH) for kept in whole.kept.tolist()),
        "x": _point(step / last * WIDTH),
        "runs": [_run(key, which, (n, head), whole.kept.tolist(), place) for key in NAMES],
        "charts": [
            _chart(_("Loss on held-out sentences, in nats per word"), "held_out_loss", last),
            _chart(_("Who has what: how often it puts the right word first"), "whose", last),
        ],
    }


def _run(
    key: str, which: int, at: tuple[int, int], steps: Sequence[int], place: int
) -> dict[str, Any]:
    """Return a run at one step: a head's map, and how well it predicts.

    `all` has the maps as digits of heat, and the figures, of all steps for the script.
    """
    record = replay(key)
    maps = record.maps[which][:, at[0], at[1]]
    figures = [_figures(record, step) for step in steps]
    sent = [[heats(weights), *texts] for weights, texts in zip(maps, figures, strict=True)]
    return {
        "key": key,
        "map": small_map(str(NAMES[key]), maps[place]),
        "figures": figures[place],
        "all": json.dumps(sent, separators=(",", ":"), ensure_ascii=False),
    }


def _figures(record: Replay, step: int) -> tuple[str, ...]:
    where = record.asked_at(step)
    return (
        str(int(record.steps[where])),
        format_number(float(record.loss[where]), _DECIMALS),
        format_number(float(record.held_out_loss[where]), _DECIMALS),
        _("%(share)s%%") % {"share": format_number(100 * float(record.whose[where]), 0)},
    )


def _chart(title: str, measured: str, last: int) -> dict[str, Any]:
    """Return a measure over the course of training, with a line for each run."""
    records = {key: replay(key) for key in NAMES}
    found = {key: getattr(record, measured) for key, record in records.items()}
    if measured == "whose":
        low, high, scale = 0.0, 1.0, found
        top, bottom = "100%", "0%"
    else:
        # Logarithmic: it falls from 6 to 1 nat in the first steps, and hardly further.
        scale = {key: np.log(values) for key, values in found.items()}
        low, high = (float(f([f(v) for v in scale.values()])) for f in (np.min, np.max))
        top, bottom = (format_number(float(np.exp(end)), _DECIMALS) for end in (high, low))
    ends = ", ".join(
        f"{NAMES[key]} {format_number(float(values[-1]), _DECIMALS)}"
        for key, values in found.items()
    )
    return {
        "title": title,
        "says": _("%(title)s; at the end of each run: %(ends)s.") % {"title": title, "ends": ends},
        "top": top,
        "bottom": bottom,
        "lines": [
            {
                "key": key,
                "points": _line(records[key].steps / last, (scale[key] - low) / (high - low)),
            }
            for key in NAMES
        ],
    }


def _line(across: Array, up: Array) -> str:
    pairs: Iterable[tuple[float, float]] = zip(across.tolist(), up.tolist(), strict=True)
    return " ".join(f"{_point(x * WIDTH)},{_point((1 - y) * HEIGHT)}" for x, y in pairs)


def _point(value: float) -> str:
    return f"{value:.1f}"
