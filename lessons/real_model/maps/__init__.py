"""Attention maps: a real model's attention to sentences, measured once, a file for each sentence.

`manage.py measure_attention` recomputes the weights, through the encoder and so the core. A new map
is a new file with its sentence and its heads; the command does the rest.
"""

import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path

FOLDER = Path(__file__).parent


@dataclass(frozen=True)
class Head:
    """One head of one layer, both counted from 0: row t of the weights is where token t looks."""

    layer: int
    head: int
    weights: list[list[float]]


@dataclass(frozen=True)
class AttentionMap:
    """A sentence with its source, its tokens and the measured heads."""

    sentence: str
    model: str
    licence: str
    tokens: list[str]
    heads: list[Head]


def files() -> list[Path]:
    """Return the file of every map."""
    return sorted(FOLDER.glob("*.json"))


def names() -> list[str]:
    """Return the names of all maps."""
    return [file.stem for file in files()]


@cache
def attention_map(name: str) -> AttentionMap:
    """Return the map of this name, which is one of `names()`."""
    stored = json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8"))
    return AttentionMap(
        sentence=stored["sentence"],
        model=stored["model"],
        licence=stored["licence"],
        tokens=stored["tokens"],
        heads=[Head(**head) for head in stored["heads"]],
    )
