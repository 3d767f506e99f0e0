"""Facts about a family at certain sizes that take long to work out, and so may be stored."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

# The sizes of a variant by name, in the order of the family's options.
type Sizes = tuple[tuple[str, int], ...]


@dataclass(frozen=True)
class Variety:
    """The number of distinct givens that are fit to ask.

    Attributes:
        distinct: the exact number if they were enumerated, else a cautious lower estimate; the
            search ends at `variety.MAX_DISTINCT`.
        enumerated: whether every one was drawn and proved.
        fingerprints: those of the fit givens, if enumerated and few; else none.
    """

    distinct: int
    enumerated: bool
    fingerprints: frozenset[str] = frozenset()

    def __str__(self) -> str:
        return f"{self.distinct:,}" if self.enumerated else f"at least {self.distinct:,}"


class Part(NamedTuple):
    """The part of a source on which a cell depends: its rows and its columns, by rules."""

    rows: str
    columns: str


type Dependencies = Mapping[str, Part]


@dataclass(frozen=True)
class Facts:
    """Stored facts about a family's variants at certain sizes.

    Attributes:
        cells: to be typed.
        minutes: of a practised student who never errs.
        variety: how many distinct givens there are.
        dependencies: of which givens and earlier steps each step is made, by key.
    """

    cells: int
    minutes: float
    variety: Variety
    dependencies: Mapping[str, Dependencies]


def facts_to_json(facts: Facts) -> dict[str, Any]:
    """Return the facts as JSON.

    >>> facts_to_json(Facts(4, 1.5, Variety(9, True), {"s": {"q": Part("r", "*")}}))["dependencies"]
    {'s': {'q': ['r', '*']}}
    """
    return {
        "cells": facts.cells,
        "minutes": facts.minutes,
        "distinct": facts.variety.distinct,
        "enumerated": facts.variety.enumerated,
        "fingerprints": sorted(facts.variety.fingerprints),
        "dependencies": {
            step: {source: list(part) for source, part in sources.items()}
            for step, sources in facts.dependencies.items()
        },
    }


def facts_from_json(stored: Mapping[str, Any]) -> Facts:
    """Return the facts that `facts_to_json` wrote.

    >>> facts = Facts(4, 1.5, Variety(9, True), {"s": {"q": Part("r", "*")}})
    >>> facts_from_json(facts_to_json(facts)) == facts
    True
    """
    return Facts(
        stored["cells"],
        stored["minutes"],
        Variety(stored["distinct"], stored["enumerated"], frozenset(stored["fingerprints"])),
        {
            step: {source: Part(*part) for source, part in sources.items()}
            for step, sources in stored["dependencies"].items()
        },
    )
